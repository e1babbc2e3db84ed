// one_machine.h - the clock of a machine that outlives processes which are killed on it.
// Each ManualClock is a machine of its own, so that a database which is opened on a second one
// after a crash continues a second past the time it recorded (docs/decisions/0018-trusted-time.md).
// On this one steady time is wall time, in every process, and nothing is guessed: the first clock
// may only go ahead.
#pragma once

#include <string>

#include "mayfly/clock.h"

namespace mayfly {

class OneMachine final : public Clock {
 public:
  // `wall` must outlive it.
  explicit OneMachine(const ManualClock& wall) : wall_(wall) {}

  WallTime Now() const override { return wall_.Now(); }
  SteadyTime Steady() const override { return SteadyTime(wall_.Now().time_since_epoch()); }
  void Sleep(Waker& waker, WallTime until) const override { wall_.Sleep(waker, until); }
  std::string BootId() const override { return "the machine of the test"; }

 private:
  const ManualClock& wall_;
};

}  // namespace mayfly
