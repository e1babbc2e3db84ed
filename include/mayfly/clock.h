// clock.h - where time comes from, and the only place it does.
// Wall time makes deadlines, which outlive the process; steady time makes pauses and measurements.
// They are two types, so mixing them does not compile. Within a process Now() never goes back, even
// when the machine's clock does: a row one reader saw dead must not be alive for the next. An
// operation asks once and passes `now` down, so that all its decisions share one instant.
// ManualClock moves only when told, and so no test sleeps.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>

namespace mayfly {

using Millis = std::chrono::milliseconds;

// Milliseconds since the Unix epoch. Stored in files as such.
struct WallTimeline {};
using WallTime = std::chrono::time_point<WallTimeline, Millis>;

// Nanoseconds since an arbitrary point of this process' life. Never stored.
struct SteadyTimeline {};
using SteadyTime = std::chrono::time_point<SteadyTimeline, std::chrono::nanoseconds>;

constexpr WallTime WallTimeFromMs(std::int64_t ms) { return WallTime(Millis(ms)); }
constexpr std::int64_t ToMs(WallTime time) { return time.time_since_epoch().count(); }

// Ends a sleep early. A wake before the sleep counts: it ends the next one at once.
class Waker {
 public:
  void Wake();

  // Returns when woken or after `length`.
  void WaitFor(std::chrono::nanoseconds length);

  // Returns when woken.
  void Wait();

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  bool awake_ = false;  // Guarded by mutex_.
};

// Safe to call from any thread.
class Clock {
 public:
  virtual ~Clock() = default;

  // The present instant; never smaller than what an earlier call returned.
  virtual WallTime Now() const = 0;

  // For measuring and pausing only: it stands in no relation to Now().
  virtual SteadyTime Steady() const = 0;

  // Returns when Now() has reached `until`, when woken, or earlier: look again and sleep on.
  virtual void Sleep(Waker& waker, WallTime until) const = 0;
};

// The machine's clock, held at its highest reading whenever the machine steps back.
class SystemClock final : public Clock {
 public:
  using Source = std::function<WallTime()>;

  // The process' one clock. Everything that is not handed a clock uses this one, which is what
  // makes the promise hold across databases. Lives until the process ends.
  static SystemClock& Process();

  // A clock over another source of readings, for tests of the promise itself.
  explicit SystemClock(Source source);

  WallTime Now() const override;
  SteadyTime Steady() const override;
  void Sleep(Waker& waker, WallTime until) const override;

 private:
  const Source source_;
  mutable std::atomic<std::int64_t> highest_ms_;
};

// Stands still until told to move.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(WallTime start) : now_ms_(ToMs(start)) {}

  WallTime Now() const override { return WallTimeFromMs(now_ms_.load()); }
  SteadyTime Steady() const override { return SteadyTime(std::chrono::nanoseconds(steady_ns_)); }

  // Sleepers wake when the clock is moved.
  void Sleep(Waker& waker, WallTime until) const override;

  // Moves both times forward; a negative step is refused by an assertion.
  void Advance(Millis step);

  // Puts wall time anywhere, backwards too: it plays the part of a machine whose clock was set.
  // Steady time stays. Whoever needs time that never goes back wraps or guards this clock.
  void Set(WallTime now);

 private:
  void WakeSleepers();

  std::atomic<std::int64_t> now_ms_;
  std::atomic<std::int64_t> steady_ns_{0};
  mutable std::mutex mutex_;
  mutable std::set<Waker*> sleepers_;  // Guarded by mutex_.
};

}  // namespace mayfly
