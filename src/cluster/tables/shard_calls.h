// shard_calls.h - operations on tables of any shards, here or at other servers.
// Writes in several shards here wait for the store at the same time.
// They go to the others by the connections that forwarded commands use, as CLUSTER TABLE, and run
// there on the threads of the Redis protocol, which wait for no server. So the caller's thread may
// wait for them, if it is none of these: it is one of HTTP's, or of upkeep.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/lanes.h"
#include "cluster/tables/limits.h"
#include "cluster/tables/shard_tables.h"
#include "mayfly/clock.h"
#include "server/session/peer_calls.h"
#include "server/shards/shard_directory.h"

namespace mayfly::cluster {

struct ShardGroup {
  std::size_t shard = 0;
  std::vector<server::TableCall*> calls;
};

// Safe to call from any thread.
class ShardCalls {
 public:
  // All must outlive it. `patience`: milliseconds for which a shard without an owner is waited for.
  ShardCalls(server::ShardDirectory& directory, server::PeerCalls& peers, ShardTables& tables,
             const Clock& real_clock, const std::atomic<std::int64_t>& patience)
      : directory_(directory),
        peers_(peers),
        tables_(tables),
        real_clock_(real_clock),
        patience_(patience) {}

  // Returns when all calls have an answer: 503 where the shard has no owner for longer, 500 where it
  // is unknown whether the call has run.
  void Do(std::vector<ShardGroup> groups);
  void Do(std::size_t shard, server::TableCall& call) { Do({{shard, {&call}}}); }

  std::size_t shards() const { return directory_.shards(); }
  const Clock& real_clock() const { return real_clock_; }
  Millis patience() const { return Millis(patience_.load(std::memory_order_relaxed)); }

 private:
  void Try(std::vector<ShardGroup>& groups);
  void RunHere(ShardGroup& group);

  server::ShardDirectory& directory_;
  server::PeerCalls& peers_;
  ShardTables& tables_;
  const Clock& real_clock_;
  const std::atomic<std::int64_t>& patience_;
  Lanes writing_{kWritingThreads};
};

}  // namespace mayfly::cluster
