#include "cluster/cluster_map.h"

#include <fmt/format.h>

#include <charconv>
#include <unordered_map>

namespace mayfly::cluster {

using engine::cluster::ServerId;

server::ServerAddress AddressOf(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {};
  int port = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, port);
  constexpr int kPortMax = 65535;
  if (error != std::errc() || stop != end || port < 1 || port > kPortMax) return {};
  return {.host = text.substr(0, colon), .port = port};
}

std::string NodeIdOf(ServerId server) { return fmt::format("{:040x}", server); }

std::shared_ptr<server::ClusterView> ViewOf(const engine::cluster::ClusterMap& map, ServerId self) {
  auto view = std::make_shared<server::ClusterView>();
  std::unordered_map<ServerId, std::size_t> places;
  for (const auto& record : map.servers) {
    places.emplace(record->server, view->members.size());
    view->members.push_back({.id = NodeIdOf(record->server),
                             .address = AddressOf(record->address),
                             .is_self = record->server == self,
                             .epoch = record->incarnation});
    // Revisions only grow, and every change of a server's shards is one.
    view->epoch += record->incarnation + record->revision;
  }
  for (const ServerId owner : map.owners) {
    const auto place = places.find(owner);
    view->owners.push_back(place == places.end() ? server::ClusterView::kNobody : place->second);
  }
  return view;
}

}  // namespace mayfly::cluster
