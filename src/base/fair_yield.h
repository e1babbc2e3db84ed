// fair_yield.h - when a thread in the background offers its core to others.
// While a thread has work, Linux lets it run for milliseconds before one that has just become ready;
// a yield lets that one run at once. But where many threads want a core, a yield costs a time slice
// of each of them: a thread that yields after every few microseconds then gets nearly nothing. So
// one that had to wait works for as long as it has waited, before it yields again.
// Threads: one.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "mayfly/clock.h"

namespace mayfly {

class FairYield {
 public:
  // The longest work between two yields.
  static constexpr std::chrono::milliseconds kWorkMax{4};

  // To be called after each short piece of work. `clock`: whatever has Steady().
  template <typename SteadyClock>
  void Offer(const SteadyClock& clock) {
    const SteadyTime now = clock.Steady();
    if (!IsDue(now)) return;
    std::this_thread::yield();
    Yielded(now, clock.Steady());
  }

  // The rule, without clock and yield.
  bool IsDue(SteadyTime now) const { return now >= next_; }
  void Yielded(SteadyTime from, SteadyTime to) {
    next_ = to + std::min<SteadyTime::duration>(to - from, kWorkMax);
  }

 private:
  SteadyTime next_;
};

}  // namespace mayfly
