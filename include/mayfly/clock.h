// clock.h - where time comes from, and the only place it does.
// Wall time makes deadlines, which outlive the process; steady time makes pauses and measurements,
// and shows how much of what the wall clock shows has really passed. They are two types, so mixing
// them does not compile. A Clock reports what the machine says, wrong or not. The database derives
// from it the instant it decides by, which never goes back (ClockReport in maintenance.h).
// ManualClock moves only by Advance(), Set() and Reboot(), and so no test sleeps.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace mayfly {

using Millis = std::chrono::milliseconds;

// Milliseconds since the Unix epoch. Stored in files as such.
struct WallTimeline {};
using WallTime = std::chrono::time_point<WallTimeline, Millis>;

// Nanoseconds since an arbitrary point, such as the start of the machine. Comparable between
// processes only if Clock::BootId() is the same.
struct SteadyTimeline {};
using SteadyTime = std::chrono::time_point<SteadyTimeline, std::chrono::nanoseconds>;

constexpr WallTime WallTimeFromMs(std::int64_t ms) { return WallTime(Millis(ms)); }
constexpr std::int64_t ToMs(WallTime time) { return time.time_since_epoch().count(); }

// Ends a sleep early. A wake before the sleep counts: it ends the next one at once. Safe to call
// from any thread.
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

  // What the wall clock reads. It may be set back or ahead between two calls.
  virtual WallTime Now() const = 0;

  // For pauses and measurements. Goes on whatever the wall clock is set to; never smaller than what
  // an earlier call returned.
  virtual SteadyTime Steady() const = 0;

  // How much time has really passed, the machine's sleep included. Differs from Steady() only for a
  // clock that knows nothing but wall time: there it stands still.
  virtual SteadyTime Passed() const { return Steady(); }

  // Returns when Now() has reached `until`, when woken, or earlier: check and sleep again.
  virtual void Sleep(Waker& waker, WallTime until) const = 0;

  // Names the run of the machine that Passed() counts from: two readings can be compared, also
  // across processes, if both were made under the same name. Empty: unknown.
  virtual std::string BootId() const { return {}; }

  // True when an outside source, such as a time server, keeps the wall clock right.
  virtual bool IsSynchronized() const { return false; }
};

// The machine's clocks. Steady time is that since the machine started, sleep included.
class SystemClock final : public Clock {
 public:
  // Everything that is not handed a clock uses this one. Lives until the process ends.
  static SystemClock& Process();

  WallTime Now() const override;
  SteadyTime Steady() const override;
  void Sleep(Waker& waker, WallTime until) const override;
  std::string BootId() const override;
  bool IsSynchronized() const override;
};

// Stands still until Advance(), Set() or Reboot() moves it. Each ManualClock is a machine of its
// own.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(WallTime start);

  WallTime Now() const override { return WallTimeFromMs(now_ms_.load()); }
  SteadyTime Steady() const override { return SteadyTime(std::chrono::nanoseconds(steady_ns_)); }

  // Sleepers wake when the clock is moved.
  void Sleep(Waker& waker, WallTime until) const override;

  std::string BootId() const override;
  bool IsSynchronized() const override { return synchronized_.load(); }

  // Time passes: moves both times forward; a negative step is refused by an assertion.
  void Advance(Millis step);

  // Sets wall time, also backwards, as on a machine whose clock was set. Steady time stays.
  void Set(WallTime now);

  // The machine was off for that long: wall time went on, steady time starts again from zero.
  // Call it between two runs of a database.
  void Reboot(Millis off);

  // Sets what IsSynchronized() returns. At first false.
  void SetSynchronized(bool synchronized) { synchronized_ = synchronized; }

 private:
  void WakeSleepers();

  std::atomic<std::int64_t> now_ms_;
  std::atomic<std::int64_t> steady_ns_{0};
  std::atomic<std::uint64_t> boot_;
  std::atomic<bool> synchronized_{false};
  mutable std::mutex mutex_;
  mutable std::set<Waker*> sleepers_;  // Guarded by mutex_.
};

}  // namespace mayfly
