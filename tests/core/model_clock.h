// model_clock.h - what a database should take the time to be, whatever happens to the machine's
// clock. Of a machine that is never started anew: steady time is the same for all runs.
#pragma once

#include <algorithm>

#include "mayfly/clock.h"

namespace mayfly::core::suite {

struct ModelClock {
  static constexpr Millis kJumpMax = std::chrono::hours(12);
  static constexpr Millis kTolerance = std::chrono::minutes(1);

  WallTime now;
  SteadyTime looked_at;  // Steady time at `now`.
  bool stopped = false;
  WallTime without_jump = {};  // While it is stopped.

  // A reading. Time goes on by the steady clock, or follows the wall clock where that is ahead;
  // when it leaps further than steady time explains, nothing may be deleted.
  void Read(WallTime wall, SteadyTime steady) {
    const Millis passed = std::chrono::duration_cast<Millis>(steady - looked_at);
    looked_at = steady;
    now += passed;
    without_jump += passed;
    if (wall - now > kJumpMax) {
      if (!stopped) without_jump = now;
      stopped = true;
    }
    now = std::max(now, wall);
  }

  // Both say whether it is allowed.
  bool Confirm(WallTime wall) {
    if (wall < now - kTolerance) return false;
    stopped = false;
    return true;
  }

  bool Revert(WallTime wall) {
    if (wall >= now - kTolerance) return false;
    now = stopped ? std::max(wall, without_jump) : wall;
    stopped = stopped && now - without_jump > kJumpMax;
    return true;
  }
};

}  // namespace mayfly::core::suite
