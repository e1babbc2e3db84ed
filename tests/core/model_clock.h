// model_clock.h - the reference model of a database's trusted time, whatever happens to the
// machine's clock. The machine is never rebooted: steady time is the same for all runs.
#pragma once

#include <algorithm>

#include "mayfly/clock.h"

namespace mayfly::core::suite {

struct ModelClock {
  static constexpr Millis kJumpMax = std::chrono::hours(12);
  static constexpr Millis kTolerance = std::chrono::minutes(1);
  static constexpr Millis kStepMin = std::chrono::milliseconds(100);

  // Unexplained time shrinks by one part in so many of the time that passes.
  static constexpr std::int64_t kDriftInverse = 2000;

  WallTime now;
  SteadyTime looked_at;  // Steady time at `now`.
  bool stopped = false;
  // How far `now` is ahead of what steady time and confirmations explain.
  std::chrono::microseconds unexplained = {};
  Millis behind = {};  // How far the wall clock was behind `now`.

  // Reads the clock. Time advances with the steady clock, or follows the wall clock where that is
  // ahead; when it has gained more than is explained, nothing may be removed.
  void Read(WallTime wall, SteadyTime steady) {
    const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(steady - looked_at);
    looked_at = steady;
    now += std::chrono::duration_cast<Millis>(passed);
    // Passing time explains what the wall clock shows, no more.
    const auto shown = std::max(unexplained - behind, std::chrono::microseconds(0));
    if (!stopped) unexplained -= std::min(shown, passed / kDriftInverse);
    if (wall > now) unexplained += wall - now;
    now = std::max(now, wall);
    behind = now - wall;
    if (unexplained > kJumpMax) stopped = true;
  }

  // Both return whether it is allowed.
  bool Confirm(WallTime wall) {
    if (wall < now - kTolerance) return false;
    stopped = false;
    unexplained = {};
    return true;
  }

  bool Revert(WallTime wall) {
    if (now - wall <= (stopped ? kTolerance : kStepMin)) return false;
    const WallTime explained = now - std::chrono::ceil<Millis>(unexplained);
    now = stopped ? std::max(wall, explained) : wall;
    behind = now - wall;
    stopped = stopped && now - explained > kJumpMax;
    unexplained = stopped ? now - explained : Millis(0);
    return true;
  }
};

}  // namespace mayfly::core::suite
