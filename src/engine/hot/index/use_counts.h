// use_counts.h - how often rows were read: two bits for each 64 bytes of the arena.
// Beside the arena and not in the rows: a reader holds no lock, so the row it read may be gone when
// it counts, and its block may be another's. Here it then counts for a stranger, which only
// makes the eviction of that one a little later.
// Threads: every call from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "engine/hot/index/limits.h"
#include "engine/hot/index/region.h"
#include "engine/hot/index/slab_arena.h"

namespace mayfly::engine::hot {

class UseCounts {
 public:
  static constexpr unsigned kMax = 3;

  // Counts nothing unless `enabled`.
  UseCounts(std::size_t arena_bytes, unsigned unit_shift, bool enabled)
      : enabled_(enabled),
        count_shift_(kBytesShift - unit_shift),
        region_(enabled ? arena_bytes / kBytesPerByte + 1 : 1, false, 0) {
    MAYFLY_CHECK(region_.Reach(enabled ? arena_bytes / kBytesPerByte + 1 : 1),
                 "the memory index got no memory");
  }

  void Mark(Handle row) {
    if (!enabled_) return;
    std::uint8_t seen = ByteOf(row).load(std::memory_order_relaxed);
    if ((unsigned{seen} >> ShiftOf(row) & kMax) == kMax)
      return;  // Rows in steady use are not written to.
    ByteOf(row).compare_exchange_weak(seen, static_cast<std::uint8_t>(seen + (1U << ShiftOf(row))),
                                      std::memory_order_relaxed);
  }
  unsigned Of(Handle row) const {
    if (!enabled_) return 0;
    return unsigned{ByteOf(row).load(std::memory_order_relaxed)} >> ShiftOf(row) & kMax;
  }
  // One less; false when it was 0.
  bool Lower(Handle row) {
    if (!enabled_) return false;
    std::uint8_t seen = ByteOf(row).load(std::memory_order_relaxed);
    do {
      if ((unsigned{seen} >> ShiftOf(row) & kMax) == 0) return false;
    } while (!ByteOf(row).compare_exchange_weak(
        seen, static_cast<std::uint8_t>(seen - (1U << ShiftOf(row))), std::memory_order_relaxed));
    return true;
  }
  void Clear(Handle row) {
    if (!enabled_) return;
    ByteOf(row).fetch_and(static_cast<std::uint8_t>(~(kMax << ShiftOf(row))),
                          std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned kBytesShift = 6;
  static constexpr std::size_t kBytesPerByte = std::size_t{4} << kBytesShift;

  std::atomic<std::uint8_t>& ByteOf(Handle row) const {
    return reinterpret_cast<std::atomic<std::uint8_t>*>(region_.base())[row >> count_shift_ >> 2];
  }
  unsigned ShiftOf(Handle row) const { return (row >> count_shift_) % 4 * 2; }

  const bool enabled_;
  const unsigned count_shift_;
  Region region_;
};

}  // namespace mayfly::engine::hot
