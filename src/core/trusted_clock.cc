#include "core/trusted_clock.h"

#include <algorithm>

#include "base/log.h"

namespace mayfly::core {

TrustedClock::TrustedClock(const Clock& clock, Millis jump_max,
                           const std::optional<StoredTime>& stored, Logger& logger)
    : clock_(clock),
      jump_max_(jump_max),
      logger_(logger),
      wall_mark_(clock.Now()),
      steady_mark_(clock.Steady()) {
  const WallTime reading = wall_mark_;
  highest_ms_ = ToMs(stored ? std::max(reading, stored->high_water) : reading);
  if (!stored) return;
  if (reading < stored->high_water) ++steps_back_;
  if (reading > stored->high_water && reading - stored->high_water > jump_max_) {
    Jumped(reading - stored->high_water);
  } else if (stored->unconfirmed) {
    stopped_ = true;
    Log(logger_, LogLevel::kWarning,
        "a jump of the clock was not confirmed before the database closed; no expired row is "
        "removed until ConfirmClock() says that the time is right");
  }
}

WallTime TrustedClock::Now() const {
  const std::int64_t reading = ToMs(clock_.Now());
  const std::int64_t highest = highest_ms_.load(std::memory_order_acquire);
  if (reading == highest) return WallTimeFromMs(highest);
  if (reading < highest) {
    // Threads race by a millisecond or two; a clock that was set back stays behind for longer.
    constexpr std::int64_t kRaceMs = 50;
    if (highest - reading > kRaceMs) steps_back_.fetch_add(1, std::memory_order_relaxed);
    return WallTimeFromMs(highest);
  }
  return Advance(reading);
}

WallTime TrustedClock::Advance(std::int64_t reading_ms) const {
  std::int64_t highest = highest_ms_.load(std::memory_order_acquire);
  // Only a gap in the readings can be a jump; most of them are a database that had nothing to do.
  if (reading_ms - highest > jump_max_.count()) {
    const std::lock_guard lock(mutex_);
    const WallTime expected =
        wall_mark_ + std::chrono::duration_cast<Millis>(clock_.Steady() - steady_mark_);
    const Millis ahead = WallTimeFromMs(reading_ms) - expected;
    if (ahead > jump_max_) Jumped(ahead);
    wall_mark_ = WallTimeFromMs(reading_ms);
    steady_mark_ = clock_.Steady();
  }
  while (reading_ms > highest &&
         !highest_ms_.compare_exchange_weak(highest, reading_ms, std::memory_order_acq_rel)) {
  }
  return WallTimeFromMs(std::max(reading_ms, highest));
}

void TrustedClock::Jumped(Millis by) const {
  ++jumps_;
  last_jump_ = by;
  stopped_.store(true, std::memory_order_release);
  Log(logger_, LogLevel::kWarning,
      "the clock jumped ahead by {} ms; expired rows are hidden but none is removed until "
      "ConfirmClock() says that the time is right",
      by.count());
}

void TrustedClock::Confirm() {
  const std::lock_guard lock(mutex_);
  wall_mark_ = clock_.Now();
  steady_mark_ = clock_.Steady();
  stopped_.store(false, std::memory_order_release);
}

ClockReport TrustedClock::Report() const {
  const WallTime now = Now();
  const std::lock_guard lock(mutex_);
  return {.now = now,
          .high_water = WallTimeFromMs(highest_ms_.load()),
          .steps_back = steps_back_.load(),
          .jumps_forward = jumps_,
          .physical_deletion_stopped = stopped_.load(),
          .last_jump = last_jump_};
}

}  // namespace mayfly::core
