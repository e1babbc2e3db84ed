#include "shards/cluster_served.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace mayfly::server {
namespace {

std::unique_ptr<cluster::ShardDatabases> OnStore(
    std::shared_ptr<engine::cluster::MemoryObjects> objects, std::size_t server, std::size_t shards,
    const Clock& clock) {
  engine::cluster::NodeOptions node;
  node.format.database = "db";
  node.format.shards = static_cast<std::uint32_t>(shards);
  node.server = server + 1;
  node.seed = server + 1;
  node.clock = &clock;
  auto opened = cluster::ShardDatabases::Open(
      std::make_shared<engine::cluster::MemoryObjectStore>(std::move(objects)), std::move(node),
      {.clock = &clock});
  if (!opened) throw std::runtime_error(opened.error().ToString());
  return *std::move(opened);
}

}  // namespace

ClusterServed::ClusterServed(Options options)
    : shards_(options.on_store ? 0 : options.shards, options.servers,
              options.clock != nullptr ? *options.clock : clock_),
      objects_(std::make_shared<engine::cluster::MemoryObjects>()) {
  for (std::size_t i = 0; i < options.servers; ++i) {
    const Clock& rows = options.clock != nullptr ? *options.clock : clock_;
    const Clock& clock = options.server_clocks.empty() ? rows : *options.server_clocks.at(i);
    auto leased = options.on_store ? OnStore(objects_, i, options.shards, rows) : nullptr;
    ShardDirectory& directory = leased != nullptr ? *leased : shards_.directory(i);
    members_.push_back(std::make_unique<ServedMember>(ServedMember::Parts{
        .directory = directory,
        .own_shards = std::move(leased),
        .clock = clock,
        .settings = options.settings,
        .logger = options.logger != nullptr ? *options.logger : SilentLogger()}));
    if (!options.on_store) shards_.SetAddress(i, {"127.0.0.1", port(i)});
    members_.back()->Join();
  }
}

ClusterServed::~ClusterServed() {
  for (const auto& member : members_) {
    if (member != nullptr) member->Stop();
  }
}

int ClusterServed::port(std::size_t server) const { return members_.at(server)->port(); }

int ClusterServed::http_port(std::size_t server) const { return members_.at(server)->http_port(); }

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

void ClusterServed::Kill(std::size_t server) { members_.at(server).reset(); }

void ClusterServed::AwaitShards() {
  const auto here = [this] {
    std::size_t count = 0;
    for (const auto& member : members_) {
      if (member != nullptr) count += member->own_shards().Here().size();
    }
    return count;
  };
  while (here() < members_.front()->own_shards().shards()) std::this_thread::yield();
}

}  // namespace mayfly::server
