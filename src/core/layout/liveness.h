// liveness.h - the one rule of what is dead.
// Every reader, condition, count, purge and compaction calls this and nothing else compares a
// deadline with the time. A row with a ttl of n ms lives for exactly n ms: at its deadline it is
// gone.
#pragma once

#include <optional>

#include "mayfly/clock.h"

namespace mayfly::core {

constexpr bool IsDead(WallTime deadline, WallTime now) { return deadline <= now; }

constexpr bool IsDead(std::optional<WallTime> deadline, WallTime now) {
  return deadline && IsDead(*deadline, now);
}

}  // namespace mayfly::core
