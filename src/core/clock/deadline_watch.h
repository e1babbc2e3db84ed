// deadline_watch.h - wakes sleeping threads when an earlier deadline than theirs is written.
// Writers compare with one number; only if their deadline is smaller do they take the lock.
// Threads: any.
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

  // Announces a sleep until `until`. Announce WallTime::max(), read the index, then announce the
  // first deadline found there: so no deadline is missed in between.
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
  std::map<Waker*, WallTime> sleepers_;  // Guarded by mutex_; each withdraws before it ends.
};

}  // namespace mayfly::core
