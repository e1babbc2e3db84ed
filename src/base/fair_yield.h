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

namespace mayfly {

class FairYield {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The longest work between two yields.
  static constexpr std::chrono::milliseconds kWorkMax{4};

  // To be called after each short piece of work.
  void Offer() {
    const Time now = std::chrono::steady_clock::now();
    if (!IsDue(now)) return;
    std::this_thread::yield();
    Yielded(now, std::chrono::steady_clock::now());
  }

  // The rule, without clock and yield.
  bool IsDue(Time now) const { return now >= next_; }
  void Yielded(Time from, Time to) { next_ = to + std::min<Time::duration>(to - from, kWorkMax); }

 private:
  Time next_;
};

}  // namespace mayfly
