// read_lease.h - how long a server may answer from memory; one for all its shards.
// The node sets it, and reads compare it with the clock after they have read: while it holds, no
// other server owns one of these shards, so what was read was the newest (ownership/ownership.h).
#pragma once

#include <atomic>
#include <cstdint>

#include "mayfly/clock.h"

namespace mayfly::engine::cluster {

// Safe to call from any thread. `clock` must outlive this.
class ReadLease {
 public:
  explicit ReadLease(const Clock& clock) : clock_(clock) {}

  void SetUntil(SteadyTime until) {
    until_ns_.store(until.time_since_epoch().count(), std::memory_order_release);
  }

  bool Holds() const {
    return clock_.Passed().time_since_epoch().count() < until_ns_.load(std::memory_order_acquire);
  }

  const Clock& clock() const { return clock_; }

 private:
  const Clock& clock_;
  std::atomic<std::int64_t> until_ns_{SteadyTime::min().time_since_epoch().count()};
};

}  // namespace mayfly::engine::cluster
