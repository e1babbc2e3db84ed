// cluster_served.h - servers of one cluster, in memory and on free ports. A test moves the shards.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

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

 private:
  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  MemoryShards shards_;
  std::vector<std::unique_ptr<ServedMember>> members_;
};

}  // namespace mayfly::server
