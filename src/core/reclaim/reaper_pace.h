// reaper_pace.h - how much of its time a reaper works.
// Without a lag a reaper takes a small share of one core. The share grows with the lag: with the
// time for which the oldest dead row has waited, and with the number that waits, since many may
// have died just now. A few units of either, and it works without pauses:
//   percent = work_percent * (1 + max(age / kReaperLagUnit, rows / kReaperLagRows)), at most 100
// Where a row takes long to remove, other writers wait for the engine however small the steps are.
// There only the age counts, and in larger units: kReaperSlowStreamUnit while rows keep dying,
// since a lag costs space for as long as they do; kReaperSlowUnit after many deaths at one instant,
// which are over once purged. The head of the index tells the two apart: in a stream it moves.
// Reads no clock and does not sleep. Threads: one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "core/layout/limits.h"
#include "mayfly/clock.h"

namespace mayfly::core {

class ReaperPace {
 public:
  struct Lag {
    Millis age{0};           // For how long the oldest dead row has waited.
    std::uint64_t rows = 0;  // Dead rows that wait, as far as they are counted.
    bool quiet = false;      // There was no write for a while.
  };

  // The times of one step: to find rows, to remove them under their latch, and to tell subscribers.
  struct Step {
    std::size_t rows = 0;
    std::chrono::nanoseconds finding{0};
    std::chrono::nanoseconds removing{0};
    std::chrono::nanoseconds telling{0};
  };

  // `work_percent` is the share without a lag, 1 to 100.
  explicit ReaperPace(std::uint32_t work_percent) : work_percent_(work_percent) {}

  // Notes the head of the index, as it was read at that moment.
  void NoteHead(WallTime head, SteadyTime now);

  // The share of time that is due to this lag, 1 to 100.
  std::uint32_t Percent(const Lag& lag) const;

  // Notes a step. Returns how long to rest before the next one: short rests are saved up, since a
  // sleep takes longer than the few rows before it.
  std::chrono::nanoseconds RestAfter(const Step& step, const Lag& lag);

 private:
  void FollowStep(const Step& step);
  bool is_slow() const { return row_time_ > kReaperSlowRow; }

  const std::uint32_t work_percent_;
  // The least time that a row has taken lately: what a step takes beyond that, it waits for others.
  std::chrono::nanoseconds row_time_ = kReaperSlowRow;
  std::chrono::nanoseconds least_row_time_ = kReaperSlowRow;  // Since row_time_ was last raised,
  std::size_t steps_ = 0;                                     // in so many steps.
  WallTime head_;
  SteadyTime head_noted_at_;
  bool head_moves_ = false;
  std::chrono::nanoseconds owed_rest_{0};
};

}  // namespace mayfly::core
