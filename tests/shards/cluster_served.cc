#include "shards/cluster_served.h"

#include <fmt/format.h>

#include <utility>

namespace mayfly::server {

ClusterServed::ClusterServed(Options options)
    : shards_(options.shards, options.servers, options.clock != nullptr ? *options.clock : clock_) {
  for (std::size_t i = 0; i < options.servers; ++i) {
    const Clock& rows = options.clock != nullptr ? *options.clock : clock_;
    const Clock& clock = options.server_clocks.empty() ? rows : *options.server_clocks.at(i);
    members_.push_back(std::make_unique<ServedMember>(ServedMember::Parts{
        .directory = shards_.directory(i),
        .clock = clock,
        .settings = options.settings,
        .logger = options.logger != nullptr ? *options.logger : SilentLogger()}));
    shards_.SetAddress(i, {"127.0.0.1", port(i)});
  }
}

ClusterServed::~ClusterServed() {
  for (const auto& member : members_) member->Stop();
}

int ClusterServed::port(std::size_t server) const { return members_.at(server)->port(); }

Server& ClusterServed::server(std::size_t server) { return members_.at(server)->server(); }

PeerLinks& ClusterServed::peers(std::size_t server) { return members_.at(server)->links(); }

std::string ClusterServed::AddressOf(std::size_t server) const {
  return fmt::format("127.0.0.1:{}", port(server));
}

std::string ClusterServed::KeyIn(std::size_t shard, const std::string& name) const {
  for (int i = 0;; ++i) {
    std::string key = fmt::format("{}{}", name, i);
    if (ShardOf(engine::SlotOf(key), shards_.shards()) == shard) return key;
  }
}

void ClusterServed::AwaitBlocked(std::size_t server, std::size_t clients) {
  while (members_.at(server)->server().waiting().size() != clients) std::this_thread::yield();
}

void ClusterServed::Stop(std::size_t server) { members_.at(server)->Stop(); }

}  // namespace mayfly::server
