// trusted_clock.h - the clock a database decides by.
// Invariants: (1) Now() never goes back, not across a restart either: it starts at the stored
// high-water mark. (2) After a forward jump beyond the limit the dead are hidden by the clock's
// word, but nothing is removed until somebody confirms it, after a restart neither: hiding can be
// taken back, removing cannot. A jump is wall time running ahead of steady time; at open, of the
// stored mark, since nobody measured the time between. Threads: any.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "mayfly/clock.h"
#include "mayfly/logger.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

// What one run leaves to the next.
struct StoredTime {
  WallTime high_water;
  bool unconfirmed = false;  // A jump was not yet confirmed.
};

class TrustedClock {
 public:
  // `stored` is what the last run left, if there was one.
  TrustedClock(const Clock& clock, Millis jump_max, const std::optional<StoredTime>& stored,
               Logger& logger);

  // The instant an operation decides by; ask once per operation.
  WallTime Now() const;

  SteadyTime Steady() const { return clock_.Steady(); }
  const Clock& source() const { return clock_; }

  bool may_delete() const { return !stopped_.load(std::memory_order_acquire); }
  void Confirm();

  ClockReport Report() const;

 private:
  WallTime Advance(std::int64_t reading_ms) const;
  void Jumped(Millis by) const;

  const Clock& clock_;
  const Millis jump_max_;
  Logger& logger_;

  mutable std::atomic<std::int64_t> highest_ms_;
  mutable std::atomic<std::uint64_t> steps_back_{0};
  mutable std::atomic<bool> stopped_{false};

  mutable std::mutex mutex_;  // Guards the rest.
  mutable WallTime
      wall_mark_;  // Wall and steady time at one moment, to compare later readings with.
  mutable SteadyTime steady_mark_;
  mutable std::uint64_t jumps_ = 0;
  mutable Millis last_jump_{0};
};

}  // namespace mayfly::core
