// trusted_clock.h - the instant a database decides by.
// Trusted time is steady time plus a lead, or wall time where that is later. Every reading of the
// wall clock that is ahead raises the lead; nothing lowers it but Revert(). So:
// (1) Now() never goes back, and while the wall clock is behind, trusted time advances with the
//     steady clock: a ttl of n ms is n ms. Across a restart the same holds if the machine was not
//     booted in between, since the lead is stored; otherwise time continues from the stored
//     instant.
// (2) A lead that is larger than the explained one by more than the limit is a jump, whether it
//     came in one step or in many. Rows that are dead by it are hidden, but nothing is removed
//     until Confirm() or Revert(), not even after a restart: hiding can be undone, removing cannot.
//     The lead of a new database is explained; Confirm(), Revert(), downtime, a time server and,
//     slowly, time itself explain more.
// (3) Where other clocks limit removal (removal_limit.h), what died after their limit is hidden and
//     not removed, whatever this clock shows.
// What explains a gap at open, and why: docs/decisions/0018-trusted-time.md.
// Threads: any; Now() takes no lock unless the wall clock was set.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "core/clock/removal_limit.h"
#include "mayfly/clock.h"
#include "mayfly/logger.h"
#include "mayfly/maintenance.h"
#include "mayfly/status.h"

namespace mayfly::core {

// The record of time that one run leaves to the next.
struct StoredTime {
  WallTime trusted = {};
  SteadyTime passed = {};     // At the same moment, on the timeline of
  std::string boot_id = {};   // this boot. Empty: unknown.
  bool orderly_stop = false;  // Written last, as the database was closed.
  // What trusted time would be if the wall clock had not been set ahead since it was last
  // explained; nothing: `trusted`. A jump if the two are apart by more than the limit.
  std::optional<WallTime> explained = std::nullopt;
  // The jump may be downtime alone, of a machine that was booted since: a time server can tell.
  bool may_be_downtime = false;
};

class TrustedClock {
 public:
  // `stored` is the record of the last run, if there was one. `limit`: null, or outlives the clock.
  TrustedClock(const Clock& clock, Millis jump_max, const std::optional<StoredTime>& stored,
               Logger& logger, const RemovalLimit* limit = nullptr);

  // The instant an operation decides by; read it once per operation.
  WallTime Now() const;

  SteadyTime Steady() const { return clock_.Steady(); }

  // Returns when Now() has reached `until`, when woken, or earlier.
  void Sleep(Waker& waker, WallTime until) const;

  // What died at this instant or before may be removed; min(): nothing; max(): all that is dead.
  WallTime removable_by() const {
    if (stopped_.load(std::memory_order_acquire)) return WallTime::min();
    return limit_ == nullptr ? WallTime::max() : limit_->Latest();
  }

  // Whether all that is dead by Now() may be removed.
  bool may_delete() const {
    const WallTime by = removable_by();
    return by == WallTime::max() || (by > WallTime::min() && Now() <= by);
  }

  // Invalid while the wall clock is behind: see Database::ConfirmClock().
  Status Confirm();

  // Invalid while the wall clock is not behind. The caller must ensure that no thread uses an
  // instant from before the call for writes or removals afterwards.
  Status Revert();

  // For a reader beside a writer: takes over the writer's stored time. This clock is never behind
  // it; where the writer's time was reverted, this clock's is, too.
  void Follow(const StoredTime& stored);

  // How often time was reverted: instants from before and after cannot be compared.
  std::uint64_t reverts() const { return reverts_.load(std::memory_order_acquire); }

  // True when the wall clock was set, or another field of StoredTime changed, since ToStore().
  bool changed() const { return changed_.load(std::memory_order_relaxed); }

  StoredTime ToStore(bool orderly_stop) const;

  // False while a jump stops removal. A jump that may have been downtime does not any more once a
  // time server vouches for it.
  bool Reconsider();

  ClockReport Report() const;

 private:
  // Wall and steady time at one moment, in microseconds.
  struct Reading {
    std::int64_t wall_us;
    std::int64_t passed_us;

    std::int64_t lead_us() const { return wall_us - passed_us; }
  };

  Reading Read() const;
  Reading ReadWithCare() const;
  WallTime TimeAt(const Reading& reading) const;
  WallTime NoteStep() const;

  // With mutex_ held.
  void Explain(const Reading& reading, std::int64_t lead_max_us) const;
  void LookAt(const Reading& reading) const;
  void Raise(std::int64_t lead_us) const;
  void Jumped(std::int64_t by_us) const;
  void Open(const StoredTime& stored);
  bool ExplainsDowntime(const StoredTime& stored) const;
  void ConfirmIt() const;
  bool IsBehind(std::int64_t wall_lead_us) const;

  const Clock& clock_;
  const std::int64_t jump_max_us_;
  const std::int64_t tolerance_us_;  // Less than this is not "behind": clocks are adjusted.
  const std::int64_t step_min_us_;   // Smaller steps are ignored.
  const bool knows_passed_;          // Else time passes by the wall clock alone.
  Logger& logger_;
  const RemovalLimit* const limit_;  // Null: none.

  mutable std::atomic<std::int64_t> lead_us_{0};       // Of trusted time over steady time.
  mutable std::atomic<std::int64_t> wall_lead_us_{0};  // Of wall time, when it was last set.
  mutable std::atomic<bool> stopped_{false};
  mutable std::atomic<bool> changed_{true};
  std::atomic<std::uint64_t> reverts_{0};

  // Guards the rest, and changes of the above except small ones of lead_us_.
  mutable std::mutex mutex_;
  mutable std::uint64_t steps_back_ = 0;
  mutable std::uint64_t jumps_ = 0;
  mutable std::int64_t last_jump_us_ = 0;
  mutable std::int64_t explained_lead_us_ = 0;
  mutable std::int64_t explained_at_us_ = 0;      // Steady time up to which that has grown.
  mutable bool may_be_downtime_ = false;          // While stopped.
  std::optional<std::int64_t> followed_lead_us_;  // Of the record that Follow() was last given.
};

}  // namespace mayfly::core
