#include "mayfly/clock.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace mayfly {
namespace {

WallTime ReadSystemClock() {
  return WallTime(
      std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch()));
}

}  // namespace

SystemClock& SystemClock::Process() {
  // The one mutable global: "never goes back within a process" is a promise about the process.
  static SystemClock clock(ReadSystemClock);
  return clock;
}

SystemClock::SystemClock(Source source)
    : source_(std::move(source)), highest_ms_(std::numeric_limits<std::int64_t>::min()) {}

WallTime SystemClock::Now() const {
  const std::int64_t reading = ToMs(source_());
  std::int64_t highest = highest_ms_.load(std::memory_order_acquire);
  // The write happens at most once a millisecond, so threads that read the clock share the line.
  while (reading > highest) {
    if (highest_ms_.compare_exchange_weak(highest, reading, std::memory_order_acq_rel)) {
      return WallTimeFromMs(reading);
    }
  }
  return WallTimeFromMs(highest);
}

SteadyTime SystemClock::Steady() const {
  return SteadyTime(std::chrono::steady_clock::now().time_since_epoch());
}

void SystemClock::Sleep(Waker& waker, WallTime until) const {
  // Never for long: the machine's clock may be set while we sleep by its steady one.
  constexpr Millis kSleepMax = std::chrono::seconds(1);
  const WallTime now = Now();
  if (now < until) waker.WaitFor(std::min(until - now, kSleepMax));
}

void ManualClock::Sleep(Waker& waker, WallTime until) const {
  {
    const std::lock_guard lock(mutex_);
    if (Now() >= until) return;
    sleepers_.insert(&waker);
  }
  waker.Wait();
  const std::lock_guard lock(mutex_);
  sleepers_.erase(&waker);
}

void ManualClock::Advance(Millis step) {
  MAYFLY_CHECK(step.count() >= 0, "Advance() goes forward; Set() plays a clock that was set back");
  now_ms_ += step.count();
  steady_ns_ += std::chrono::nanoseconds(step).count();
  WakeSleepers();
}

void ManualClock::Set(WallTime now) {
  now_ms_ = ToMs(now);
  WakeSleepers();
}

void ManualClock::WakeSleepers() {
  const std::lock_guard lock(mutex_);
  for (Waker* waker : sleepers_) waker->Wake();
}

void Waker::Wake() {
  {
    const std::lock_guard lock(mutex_);
    awake_ = true;
  }
  woken_.notify_all();
}

void Waker::WaitFor(std::chrono::nanoseconds length) {
  std::unique_lock lock(mutex_);
  woken_.wait_for(lock, length, [this] { return awake_; });
  awake_ = false;
}

void Waker::Wait() {
  std::unique_lock lock(mutex_);
  woken_.wait(lock, [this] { return awake_; });
  awake_ = false;
}

}  // namespace mayfly
