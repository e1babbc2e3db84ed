// compaction_pace.h - limits the rate of one compaction.
// RocksDB's own limiter bounds all compactions together, and so would slow down those that commits
// wait for. A compaction by CompactFile() runs on the caller's thread and passes each pair to the
// drop filter there: the filter finds the pace in force on its thread and reports the bytes to it.
// One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "mayfly/clock.h"

namespace mayfly::engine {

// Bytes between two checks of the clock.
inline constexpr std::size_t kPaceStepBytes = std::size_t{256} << 10;

// The longest sleep before the next check of `in_a_hurry`.
inline constexpr Millis kPaceSleepMax{50};

class CompactionPace {
 public:
  // In force on this thread until destroyed. `in_a_hurry` is called before each sleep; while it
  // returns true, the compaction runs without a limit.
  CompactionPace(std::uint64_t bytes_per_second, std::function<bool()> in_a_hurry,
                 const Clock& clock, std::function<void(std::chrono::nanoseconds)> sleep);
  ~CompactionPace();
  CompactionPace(const CompactionPace&) = delete;
  CompactionPace& operator=(const CompactionPace&) = delete;

  // The pace in force on this thread; null when there is none.
  static CompactionPace* OfThisThread();

  // Counts bytes, and sleeps when they exceed the rate.
  void GoneBy(std::size_t bytes);

 private:
  std::chrono::nanoseconds Ahead() const;
  void StartAfresh();

  const std::uint64_t bytes_per_second_;  // Never 0.
  const std::function<bool()> in_a_hurry_;
  const Clock& clock_;
  const std::function<void(std::chrono::nanoseconds)> sleep_;

  SteadyTime start_;
  std::uint64_t bytes_ = 0;          // Since start_.
  std::size_t unchecked_bytes_ = 0;  // Of these, since the last check of the clock.
};

}  // namespace mayfly::engine
