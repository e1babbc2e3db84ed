// shard_totals.h - what all shards of a server have done, since it started.
// A shard's own counts end with it; these go on. A stall is seen here as well: writes of all shards
// wait, and none of them is answered.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/duration_counts.h"
#include "mayfly/clock.h"

namespace mayfly::engine::cluster {

// Safe to use from any thread.
class ShardTotals {
 public:
  std::atomic<std::uint64_t> commits{0};
  std::atomic<std::uint64_t> keys{0};       // Set or removed by writes that happened.
  std::atomic<std::uint64_t> resends{0};    // Of writes whose outcome was unknown.
  std::atomic<std::uint64_t> confirmed{0};  // Reads that asked the store, since the lease was over.
  DurationCounts writes;                    // Of groups, those that failed too.
  DurationCounts openings;                  // From a claim until the rows are in memory.

  void BeginWrite(SteadyTime now) {
    if (under_way_.fetch_add(1) == 0) quiet_since_.store(now.time_since_epoch().count());
  }
  void EndWrite(SteadyTime began, SteadyTime now, bool is_answered) {
    writes.Add(now - began);
    if (is_answered) quiet_since_.store(now.time_since_epoch().count());
    under_way_.fetch_sub(1);
  }

  // Since when writes wait without an answer to any of them. 0: none waits.
  std::chrono::nanoseconds Stall(SteadyTime now) const {
    if (under_way_.load() == 0) return std::chrono::nanoseconds(0);
    const std::chrono::nanoseconds quiet(now.time_since_epoch().count() - quiet_since_.load());
    return std::max(quiet, std::chrono::nanoseconds(0));
  }

 private:
  std::atomic<int> under_way_{0};
  std::atomic<std::int64_t> quiet_since_{0};  // The last answer, or the first write after none.
};

}  // namespace mayfly::engine::cluster
