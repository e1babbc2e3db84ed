// item_versions.h - the versions of items: each larger than any before, also those of deleted
// items.
// They follow the time, which does not go back, so that they grow from one run to the next. Where
// it was set back (Database::RevertClock()) they continue from the largest; TableService stores it,
// so that the next run begins there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "mayfly/clock.h"
#include "tables/schema/item_limits.h"

namespace mayfly::tables {

// Safe to call from any thread.
class ItemVersions {
 public:
  static std::uint64_t OfTime(WallTime now) {
    return static_cast<std::uint64_t>(ToMs(now)) << kVersionTimeShift;
  }

  // Larger than `old`, too.
  std::uint64_t Next(WallTime now, std::uint64_t old) {
    const std::uint64_t least = std::max(OfTime(now), old + 1);
    std::uint64_t last = last_.load(std::memory_order_relaxed);
    std::uint64_t next = 0;
    do {
      next = std::max(last + 1, least);
    } while (!last_.compare_exchange_weak(last, next, std::memory_order_relaxed));
    return next;
  }

  // The largest so far, or the argument of GoOnBehind().
  std::uint64_t last() const { return last_.load(std::memory_order_relaxed); }

  // Call it before the first Next().
  void GoOnBehind(std::uint64_t last) { last_ = std::max(last_.load(), last); }

 private:
  std::atomic<std::uint64_t> last_{0};
};

}  // namespace mayfly::tables
