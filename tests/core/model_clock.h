// model_clock.h - what a database should take the time to be, whatever happens to the machine's
// clock.
#pragma once

#include <algorithm>

#include "mayfly/clock.h"

namespace mayfly::core::suite {

struct ModelClock {
  static constexpr Millis kJumpMax = std::chrono::hours(12);

  WallTime highest;
  Millis ahead{0};  // Of wall time over steady time when they were last compared.
  bool stopped = false;

  // A reading while the database is open. Time never goes back; when it leaps further than steady
  // time explains, nothing may be deleted.
  void Read(WallTime wall, SteadyTime steady) {
    if (wall <= highest) return;
    if (wall - highest > kJumpMax) {
      stopped = stopped || AheadOf(wall, steady) - ahead > kJumpMax;
      ahead = AheadOf(wall, steady);
    }
    highest = wall;
  }

  // The first reading after a restart: nobody measured the time between.
  void ReadAtOpen(WallTime wall, SteadyTime steady) {
    stopped = stopped || wall - highest > kJumpMax;
    ahead = AheadOf(wall, steady);
    highest = std::max(highest, wall);
  }

  void Confirm(WallTime wall, SteadyTime steady) {
    stopped = false;
    ahead = AheadOf(wall, steady);
  }

 private:
  static Millis AheadOf(WallTime wall, SteadyTime steady) {
    return wall.time_since_epoch() - std::chrono::duration_cast<Millis>(steady.time_since_epoch());
  }
};

}  // namespace mayfly::core::suite
