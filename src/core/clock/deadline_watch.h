// deadline_watch.h - tells sleepers that a deadline earlier than they know of was written.
// Writers look at one number; only when theirs is smaller do they take the lock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>

#include "mayfly/clock.h"

namespace mayfly::core {

class DeadlineWatch {
 public:
  // A row with this deadline was committed.
  void Written(WallTime deadline) {
    if (ToMs(deadline) >= sleeping_until_ms_.load()) return;
    WakeAll();
  }

  void WakeAll() {
    const std::lock_guard lock(mutex_);
    for (const auto& [waker, until] : sleepers_) waker->Wake();
  }

  // Announces a sleep until `until`. Announce WallTime::max(), look at the index, then announce
  // what you found there: so no deadline slips between.
  void Announce(Waker& waker, WallTime until) {
    const std::lock_guard lock(mutex_);
    sleepers_[&waker] = until;
    Recompute();
  }

  void Withdraw(Waker& waker) {
    const std::lock_guard lock(mutex_);
    sleepers_.erase(&waker);
    Recompute();
  }

 private:
  // The latest of all sleepers: waking one too often is harmless.
  void Recompute() {
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    for (const auto& [waker, until] : sleepers_) latest = std::max(latest, ToMs(until));
    sleeping_until_ms_.store(latest);
  }

  std::atomic<std::int64_t> sleeping_until_ms_{std::numeric_limits<std::int64_t>::min()};
  std::mutex mutex_;
  std::map<Waker*, WallTime> sleepers_;  // Guarded by mutex_; each withdraws before it goes.
};

}  // namespace mayfly::core
