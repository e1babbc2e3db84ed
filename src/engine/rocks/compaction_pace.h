// compaction_pace.h - holds one compaction to a rate, and no other.
// RocksDB's own limiter bounds all of them together, and so would slow down the ones that commits
// wait for. A compaction that CompactFile() runs works on the caller's thread and shows each pair
// to the drop filter there: the filter finds the pace that is in force on its thread and tells it
// what went by. Threads: one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "mayfly/clock.h"

namespace mayfly::engine {

// Bytes that go by between two looks at the clock.
inline constexpr std::size_t kPaceStepBytes = std::size_t{256} << 10;

// The longest sleep before the next look whether somebody is waiting.
inline constexpr Millis kPaceSleepMax{50};

class CompactionPace {
 public:
  // In force on this thread until destroyed. `in_a_hurry` is asked before each sleep; while it says
  // yes, the compaction runs as fast as it can. All three are borrowed or kept.
  CompactionPace(std::uint64_t bytes_per_second, std::function<bool()> in_a_hurry,
                 const Clock& clock, std::function<void(std::chrono::nanoseconds)> sleep);
  ~CompactionPace();
  CompactionPace(const CompactionPace&) = delete;
  CompactionPace& operator=(const CompactionPace&) = delete;

  // The pace in force on this thread; null when there is none.
  static CompactionPace* OfThisThread();

  // Sleeps when this was more than the rate allows.
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
  std::size_t unchecked_bytes_ = 0;  // Of these, since the last look at the clock.
};

}  // namespace mayfly::engine
