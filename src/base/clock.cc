#include "mayfly/clock.h"

#include <fmt/format.h>
#include <sys/timex.h>
#include <time.h>

#include <algorithm>
#include <fstream>

#include "base/check.h"

namespace mayfly {
namespace {

std::int64_t ReadNanoseconds(clockid_t which) {
  timespec reading{};
  MAYFLY_CHECK(clock_gettime(which, &reading) == 0, "the machine has this clock");
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  return reading.tv_sec * kPerSecond + reading.tv_nsec;
}

std::string ReadBootId() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

// No two manual clocks share a boot, not even in different processes.
std::uint64_t NewManualBoot() {
  static std::atomic<std::uint64_t> last{
      static_cast<std::uint64_t>(ReadNanoseconds(CLOCK_REALTIME))};
  return ++last;
}

}  // namespace

SystemClock& SystemClock::Process() {
  static SystemClock clock;
  return clock;
}

WallTime SystemClock::Now() const {
  constexpr std::int64_t kPerMilli = 1'000'000;
  return WallTimeFromMs(ReadNanoseconds(CLOCK_REALTIME) / kPerMilli);
}

SteadyTime SystemClock::Steady() const {
  // Unlike CLOCK_MONOTONIC it counts the machine's sleep, in which rows grow old as well.
  return SteadyTime(std::chrono::nanoseconds(ReadNanoseconds(CLOCK_BOOTTIME)));
}

std::string SystemClock::BootId() const {
  static const std::string id = ReadBootId();
  return id;
}

bool SystemClock::IsSynchronized() const {
  timex state{};
  const int answer = adjtimex(&state);
  return answer >= 0 && answer != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

void SystemClock::Sleep(Waker& waker, WallTime until) const {
  // Never for long: the machine's clock may be set while we sleep by its steady one.
  constexpr Millis kSleepMax = std::chrono::seconds(1);
  const WallTime now = Now();
  if (now < until) waker.WaitFor(std::min(until - now, kSleepMax));
}

ManualClock::ManualClock(WallTime start) : now_ms_(ToMs(start)), boot_(NewManualBoot()) {}

std::string ManualClock::BootId() const { return fmt::format("manual {}", boot_.load()); }

void ManualClock::Reboot(Millis off) {
  now_ms_ += off.count();
  steady_ns_ = 0;
  boot_ = NewManualBoot();
  WakeSleepers();
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
  // In this order: a thread that reads wall time first and steady time second never sees a jump.
  steady_ns_ += std::chrono::nanoseconds(step).count();
  now_ms_ += step.count();
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
