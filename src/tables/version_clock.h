// version_clock.h - what versions items get: larger than any before, also those of items that are
// gone and left nothing behind.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "mayfly/clock.h"
#include "tables/item_limits.h"

namespace mayfly::tables {

// Safe from any thread. Versions go with the time, so that they grow from one run to the next.
class VersionClock {
 public:
  std::uint64_t Next(WallTime now) {
    const std::uint64_t by_time = static_cast<std::uint64_t>(ToMs(now)) << kVersionTimeShift;
    std::uint64_t last = last_.load(std::memory_order_relaxed);
    std::uint64_t next = 0;
    do {
      next = std::max(last + 1, by_time);
    } while (!last_.compare_exchange_weak(last, next, std::memory_order_relaxed));
    return next;
  }

 private:
  std::atomic<std::uint64_t> last_{0};
};

}  // namespace mayfly::tables
