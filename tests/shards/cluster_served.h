// cluster_served.h - servers of one cluster, in memory and on free ports. A test moves the shards.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/cluster/objects/testing/memory_objects.h"
#include "server/served.h"
#include "server/shards/testing/memory_shards.h"
#include "server/test_client.h"
#include "shards/served_member.h"

namespace mayfly::server {

class ClusterServed {
 public:
  struct Options {
    std::size_t servers = 2;
    std::size_t shards = 4;
    Served::Settings settings = {};
    bool on_store = false;         // Shards are owned by lease. Real time; clock must be set.
    const Clock* clock = nullptr;  // Of rows; null: a manual one.
    // What each server shows as its own, if they are to differ.
    std::vector<const Clock*> server_clocks = {};
    Logger* logger = nullptr;  // Of all servers. Null: silence.
  };

  // Throws when it does not start. Shards go to the servers in turn: server 0 has the even ones.
  explicit ClusterServed(Options options);
  ClusterServed() : ClusterServed(Options()) {}
  ~ClusterServed();
  ClusterServed(const ClusterServed&) = delete;
  ClusterServed& operator=(const ClusterServed&) = delete;

  int port(std::size_t server) const;
  int http_port(std::size_t server) const;
  Server& server(std::size_t server);
  PeerLinks& peers(std::size_t server);
  MemoryShards& shards() { return shards_; }
  ManualClock& clock() { return clock_; }

  // "127.0.0.1:PORT"
  std::string AddressOf(std::size_t server) const;

  // A key of this shard, which begins with `name`.
  std::string KeyIn(std::size_t shard, const std::string& name = "key") const;

  // Waits until so many clients of the server are blocked.
  void AwaitBlocked(std::size_t server, std::size_t clients);

  // Ends a server; its shards stay its own.
  void Stop(std::size_t server);

  // With on_store: ends it, and no other hears of it.
  void Kill(std::size_t server);

  // With on_store: returns when each shard is open at a server.
  void AwaitShards();

 private:
  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  MemoryShards shards_;
  const std::shared_ptr<engine::cluster::MemoryObjects> objects_;
  std::vector<std::unique_ptr<ServedMember>> members_;
};

}  // namespace mayfly::server
