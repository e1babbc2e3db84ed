// removal_limit.h - how far other clocks than the machine's allow dead rows to be removed.
// A database whose deadlines several machines judge, one after the other, hides a row by the clock of
// the machine that has it now. Removing it cannot be taken back, so that needs the others' consent.
#pragma once

#include "mayfly/clock.h"

namespace mayfly::core {

// Safe to call from any thread.
class RemovalLimit {
 public:
  virtual ~RemovalLimit() = default;

  // Rows that died later than this are hidden and stay stored. It moves on as time passes, and may
  // go back. WallTime::min(): nothing may be removed, as the other clocks are not known.
  virtual WallTime Latest() const = 0;
};

}  // namespace mayfly::core
