#include "engine/rocks/compaction_pace.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace mayfly::engine {
namespace {

// RocksDB makes the filter on the compaction's thread and cannot pass it a pace, hence a global.
thread_local CompactionPace* pace_of_this_thread = nullptr;

}  // namespace

CompactionPace::CompactionPace(std::uint64_t bytes_per_second, std::function<bool()> in_a_hurry,
                               const Clock& clock,
                               std::function<void(std::chrono::nanoseconds)> sleep)
    : bytes_per_second_(bytes_per_second),
      in_a_hurry_(std::move(in_a_hurry)),
      clock_(clock),
      sleep_(std::move(sleep)),
      start_(clock.Steady()) {
  MAYFLY_CHECK(bytes_per_second > 0, "a pace of nothing would never end");
  MAYFLY_CHECK(pace_of_this_thread == nullptr, "a thread runs one paced compaction at a time");
  pace_of_this_thread = this;
}

CompactionPace::~CompactionPace() { pace_of_this_thread = nullptr; }

CompactionPace* CompactionPace::OfThisThread() { return pace_of_this_thread; }

void CompactionPace::GoneBy(std::size_t bytes) {
  bytes_ += bytes;
  unchecked_bytes_ += bytes;
  // A slow pace checks more often: a step is at most the bytes of one longest sleep.
  const std::uint64_t slice = bytes_per_second_ / (1000 / kPaceSleepMax.count());
  if (unchecked_bytes_ < std::min<std::uint64_t>(kPaceStepBytes, slice)) return;
  unchecked_bytes_ = 0;
  for (auto ahead = Ahead(); ahead > std::chrono::nanoseconds(0); ahead = Ahead()) {
    if (in_a_hurry_()) {
      StartAfresh();
      return;
    }
    sleep_(std::min<std::chrono::nanoseconds>(ahead, kPaceSleepMax));
  }
}

// How long the bytes so far should have taken, minus how long they took.
std::chrono::nanoseconds CompactionPace::Ahead() const {
  const std::chrono::duration<double> due(static_cast<double>(bytes_) /
                                          static_cast<double>(bytes_per_second_));
  const std::chrono::duration<double> ahead = due - (clock_.Steady() - start_);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(ahead);
}

// Bytes that passed in a hurry are not made up for.
void CompactionPace::StartAfresh() {
  start_ = clock_.Steady();
  bytes_ = 0;
}

}  // namespace mayfly::engine
