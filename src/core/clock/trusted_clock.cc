#include "core/clock/trusted_clock.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/log.h"
#include "core/layout/limits.h"

namespace mayfly::core {
namespace {

constexpr std::int64_t kUsPerMs = 1000;

// Half of what fits, so that the sum of two fits.
constexpr std::int64_t kMsMax = std::numeric_limits<std::int64_t>::max() / (2 * kUsPerMs);

std::int64_t ToUs(Millis length) { return std::clamp(length.count(), -kMsMax, kMsMax) * kUsPerMs; }
std::int64_t ToUs(WallTime time) { return ToUs(time.time_since_epoch()); }
std::int64_t ToUs(SteadyTime time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

Millis ToMillis(std::int64_t us) {
  return std::chrono::floor<Millis>(std::chrono::microseconds(us));
}
WallTime ToWallTime(std::int64_t us) { return WallTime(ToMillis(us)); }

// For people: "3 h", "12 days".
std::string Length(std::int64_t us) {
  const std::int64_t s = us / 1'000'000;
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  if (s >= 2 * kDay) return fmt::format("{} days", s / kDay);
  if (s >= 2 * kHour) return fmt::format("{} h", s / kHour);
  if (s >= 2 * kMinute) return fmt::format("{} min", s / kMinute);
  return fmt::format("{} ms", us / kUsPerMs);
}

// The steady time of a clock that has only wall time stands still.
bool KnowsPassed(const Clock& clock) {
  const SteadyTime before = clock.Steady();
  const SteadyTime passed = clock.Passed();
  return before <= passed && passed <= clock.Steady();
}

constexpr std::string_view kFollow =
    "an instant between the two (EXAT, PXAT, a ttl attribute, Lifetime::Until) has passed. If the "
    "machine's clock is right, take the difference back: TTL.CLOCK REVERT, RevertClock()";

constexpr std::string_view kDecide =
    "expired rows are hidden but none is removed until it is confirmed (TTL.CLOCK CONFIRM, "
    "ConfirmClock()) or, once the machine's clock is right again, taken back (TTL.CLOCK REVERT, "
    "RevertClock())";

}  // namespace

TrustedClock::TrustedClock(const Clock& clock, Millis jump_max,
                           const std::optional<StoredTime>& stored, Logger& logger,
                           const RemovalLimit* limit)
    : clock_(clock),
      jump_max_us_(ToUs(jump_max)),
      tolerance_us_(ToUs(std::min(kClockTolerance, jump_max))),
      step_min_us_(ToUs(std::clamp(jump_max, kClockStepFloor, kClockStepMin))),
      knows_passed_(KnowsPassed(clock)),
      logger_(logger),
      limit_(limit) {
  const std::lock_guard lock(mutex_);
  const Reading reading = Read();
  wall_lead_us_ = reading.lead_us();
  lead_us_ = reading.lead_us();
  explained_lead_us_ = reading.lead_us();
  explained_at_us_ = reading.passed_us;
  if (stored) Open(*stored);
}

void TrustedClock::Open(const StoredTime& stored) {
  const Reading reading = Read();
  const std::string boot = clock_.BootId();
  const bool same_boot =
      !boot.empty() && boot == stored.boot_id && ToUs(stored.passed) <= reading.passed_us;
  // Within one boot steady time and the lead stay the same. Otherwise time continues from the
  // stored instant, which may lag behind instants that callers saw.
  const std::int64_t lag_us = stored.orderly_stop ? 0 : ToUs(kHighWaterStep);
  const std::int64_t origin_us = same_boot ? ToUs(stored.passed) : reading.passed_us - lag_us;
  const std::int64_t old_lead = ToUs(stored.trusted) - origin_us;
  const bool is_downtime = !same_boot && ExplainsDowntime(stored);
  lead_us_ = old_lead;
  explained_lead_us_ = stored.explained ? ToUs(*stored.explained) - origin_us : old_lead;
  // The limit may have changed since.
  stopped_ = old_lead - explained_lead_us_ > jump_max_us_;
  if (same_boot) {
    explained_at_us_ = origin_us;
    Explain(reading, std::min(old_lead, reading.lead_us()));
  }
  const std::int64_t gap = reading.lead_us() - old_lead;
  const std::int64_t unexplained = same_boot ? reading.lead_us() - explained_lead_us_ : gap;
  if (stopped_) {
    last_jump_us_ = old_lead - explained_lead_us_;
    may_be_downtime_ = stored.may_be_downtime;
    // The clock was corrected while the database was closed: from the time without the jump, its
    // present reading may be downtime.
    if (IsBehind(reading.lead_us()) && is_downtime) {
      explained_lead_us_ = std::max(explained_lead_us_, reading.lead_us());
    }
    Log(logger_, LogLevel::kWarning, "a jump of the clock by {} still awaits a decision; {}",
        Length(last_jump_us_), kDecide);
  } else if (unexplained > jump_max_us_ && !is_downtime) {
    Jumped(unexplained);
    may_be_downtime_ = !same_boot;
  } else if (!same_boot && gap > 0) {
    // The machine was off for so long. What was unexplained before stays so.
    explained_lead_us_ += gap;
  }
  lead_us_ = std::max(old_lead, reading.lead_us());
  if (lead_us_ - reading.lead_us() < ToUs(kClockBehindTold)) return;
  ++steps_back_;
  Log(logger_, LogLevel::kWarning,
      "the machine's clock is {} behind the time that the database has reached and goes on from; "
      "{}",
      Length(lead_us_ - reading.lead_us()), kFollow);
}

// After a boot of the machine no clock has measured how long it was off.
bool TrustedClock::ExplainsDowntime(const StoredTime& stored) const {
  return stored.orderly_stop || clock_.IsSynchronized();
}

bool TrustedClock::IsBehind(std::int64_t wall_lead_us) const {
  return wall_lead_us < lead_us_.load() - tolerance_us_;
}

// Wall time first: if the thread is preempted in between, wall time is the older one, which cannot
// be taken for a jump ahead.
TrustedClock::Reading TrustedClock::Read() const {
  const std::int64_t wall_us = ToUs(clock_.Now());
  return {wall_us, ToUs(clock_.Passed())};
}

// Of a few readings the one with the shortest preemption.
TrustedClock::Reading TrustedClock::ReadWithCare() const {
  Reading best = Read();
  for (int i = 0; i < 2; ++i) {
    const Reading next = Read();
    if (next.lead_us() >= best.lead_us()) best = next;
  }
  return best;
}

WallTime TrustedClock::TimeAt(const Reading& reading) const {
  return ToWallTime(reading.passed_us + lead_us_.load(std::memory_order_acquire));
}

WallTime TrustedClock::Now() const {
  const Reading reading = Read();
  const std::int64_t wall_lead = reading.lead_us();
  const std::int64_t moved = wall_lead - wall_lead_us_.load(std::memory_order_relaxed);
  if (moved > step_min_us_ || moved < -step_min_us_) [[unlikely]]
    return NoteStep();
  Raise(wall_lead);
  return TimeAt(reading);
}

// Rounding, and threads preempted between two readings, raise it by a little. A larger change must
// be stored: the next run could not derive it.
void TrustedClock::Raise(std::int64_t lead_us) const {
  std::int64_t lead = lead_us_.load(std::memory_order_acquire);
  const bool much = lead_us - lead > ToUs(kClockStepFloor);
  while (lead_us > lead &&
         !lead_us_.compare_exchange_weak(lead, lead_us, std::memory_order_acq_rel)) {
  }
  if (much) changed_ = true;
}

WallTime TrustedClock::NoteStep() const {
  const std::lock_guard lock(mutex_);
  const Reading reading = ReadWithCare();
  LookAt(reading);
  return TimeAt(reading);
}

// Time that has passed explains some of what the wall clock had gained before, `lead_max_us` at
// most: an hour each hour where a time server vouches for it, else as much as clocks drift apart.
// So many small steps are no jump, unless they come faster than that.
void TrustedClock::Explain(const Reading& reading, std::int64_t lead_max_us) const {
  // Without steady time there is no sum to judge.
  if (!stopped_ && !knows_passed_) explained_lead_us_ = lead_us_;
  const std::int64_t open = std::min(lead_max_us, lead_us_.load()) - explained_lead_us_;
  if (stopped_ || open <= 0) {
    explained_at_us_ = reading.passed_us;
    return;
  }
  const std::int64_t per_us = clock_.IsSynchronized() ? 1 : kClockDriftInverse;
  const std::int64_t grown = (reading.passed_us - explained_at_us_) / per_us;
  explained_lead_us_ += std::min(open, grown);
  explained_at_us_ += grown * per_us;  // The remainder counts next time.
}

void TrustedClock::LookAt(const Reading& reading) const {
  Explain(reading, wall_lead_us_);
  const std::int64_t wall_lead = reading.lead_us();
  const std::int64_t moved = wall_lead - wall_lead_us_.load();
  if (moved >= -step_min_us_ && moved <= step_min_us_) return Raise(wall_lead);
  const std::int64_t lead = lead_us_.load();
  // After a jump only another jump is logged.
  const std::int64_t gained = wall_lead - (stopped_ ? lead : explained_lead_us_);
  if (gained > jump_max_us_) {
    Jumped(gained);
  } else if (moved < 0) {
    ++steps_back_;
    Log(logger_, -moved < ToUs(kClockBehindTold) ? LogLevel::kInfo : LogLevel::kWarning,
        "the machine's clock was set back by {}; the database's time goes on as before and is {} "
        "ahead of it: {}",
        Length(-moved), Length(std::max<std::int64_t>(lead - wall_lead, 0)), kFollow);
  } else {
    Log(logger_, LogLevel::kInfo, "the machine's clock was set ahead by {}", Length(moved));
  }
  wall_lead_us_ = wall_lead;
  Raise(wall_lead);
  if (stopped_) last_jump_us_ = lead_us_ - explained_lead_us_;
  changed_ = true;
}

void TrustedClock::Jumped(std::int64_t by_us) const {
  ++jumps_;
  last_jump_us_ = by_us;
  may_be_downtime_ = false;
  stopped_.store(true, std::memory_order_release);
  changed_ = true;
  Log(logger_, LogLevel::kWarning, "the clock jumped ahead by {}; {}", Length(by_us), kDecide);
}

void TrustedClock::Sleep(Waker& waker, WallTime until) const {
  // The clock's own sleep is by wall time, which may be behind.
  const WallTime now = Now();
  if (now >= until) return;
  const WallTime wall = clock_.Now();
  clock_.Sleep(waker,
               until - now > WallTime::max() - wall ? WallTime::max() : wall + (until - now));
}

Status TrustedClock::Confirm() {
  const std::lock_guard lock(mutex_);
  const Reading reading = ReadWithCare();
  LookAt(reading);
  if (IsBehind(reading.lead_us())) {
    return Status::Invalid(fmt::format(
        "the machine's clock is {} behind the database's time, so that rows which the latter calls "
        "dead may be alive; if the machine's clock is right, take the difference back (TTL.CLOCK "
        "REVERT, RevertClock()), otherwise set it right first",
        Length(lead_us_ - reading.lead_us())));
  }
  if (stopped_) Log(logger_, LogLevel::kInfo, "the clock was confirmed; deletion goes on");
  ConfirmIt();
  return {};
}

void TrustedClock::ConfirmIt() const {
  stopped_.store(false, std::memory_order_release);
  may_be_downtime_ = false;
  explained_lead_us_ = lead_us_;
  changed_ = true;
}

Status TrustedClock::Revert() {
  const std::lock_guard lock(mutex_);
  const Reading reading = ReadWithCare();
  LookAt(reading);
  const std::int64_t behind = lead_us_ - reading.lead_us();
  if (behind <= (stopped_ ? tolerance_us_ : step_min_us_)) {
    if (!stopped_) {
      return Status::Invalid(
          "there is nothing to take back: the database's time is that of the machine's clock");
    }
    return Status::Invalid(fmt::format(
        "the machine's clock still shows the jump; set it right first (without the jump it would "
        "be about {:%FT%TZ}), or confirm it (TTL.CLOCK CONFIRM, ConfirmClock())",
        std::chrono::sys_time<std::chrono::seconds>(
            std::chrono::duration_cast<std::chrono::seconds>(
                ToMillis(reading.passed_us + explained_lead_us_)))));
  }
  const std::int64_t before = lead_us_;
  const std::int64_t target =
      stopped_ ? std::max(explained_lead_us_, reading.lead_us()) : reading.lead_us();
  lead_us_ = target;
  reverts_.fetch_add(1, std::memory_order_acq_rel);
  if (stopped_) last_jump_us_ = target - explained_lead_us_;
  if (target - explained_lead_us_ <= jump_max_us_) ConfirmIt();
  changed_ = true;
  Log(logger_, LogLevel::kWarning, "the database's time was taken back by {}{}",
      Length(before - target),
      stopped_ ? "; the machine's clock is still ahead by more than the limit" : "");
  return {};
}

bool TrustedClock::Reconsider() {
  if (!stopped_.load(std::memory_order_acquire)) return true;
  const std::lock_guard lock(mutex_);
  const Reading reading = ReadWithCare();
  LookAt(reading);
  if (!stopped_ || !may_be_downtime_ || IsBehind(reading.lead_us())) return !stopped_;
  if (!clock_.IsSynchronized()) return false;
  Log(logger_, LogLevel::kInfo,
      "a time server vouches for the machine's clock, so the jump at the start was time that the "
      "machine was off; deletion goes on");
  ConfirmIt();
  return true;
}

StoredTime TrustedClock::ToStore(bool orderly_stop) const {
  const std::lock_guard lock(mutex_);
  changed_ = false;
  const Reading reading = Read();
  Explain(reading, std::min(wall_lead_us_.load(), reading.lead_us()));
  StoredTime stored{.trusted = TimeAt(reading),
                    .passed = SteadyTime(std::chrono::microseconds(reading.passed_us)),
                    .boot_id = clock_.BootId(),
                    .orderly_stop = orderly_stop,
                    .may_be_downtime = may_be_downtime_};
  // Rounded so that a jump stays one.
  const std::int64_t unexplained = lead_us_ - explained_lead_us_;
  if (stopped_ || unexplained > step_min_us_) {
    stored.explained = stored.trusted - ToMillis(unexplained + kUsPerMs - 1);
  }
  return stored;
}

void TrustedClock::Follow(const StoredTime& stored) {
  const std::lock_guard lock(mutex_);
  const Reading reading = ReadWithCare();
  const std::string boot = clock_.BootId();
  const bool same_boot = !boot.empty() && boot == stored.boot_id;
  const std::int64_t origin_us = same_boot ? ToUs(stored.passed) : reading.passed_us;
  const std::int64_t lead = ToUs(stored.trusted) - origin_us;
  // Within one boot only a revert lowers a lead.
  const bool taken_back =
      same_boot && followed_lead_us_ && lead < *followed_lead_us_ - ToUs(kClockStepFloor);
  if (same_boot) followed_lead_us_ = lead;
  if (taken_back) {
    lead_us_ = std::max(lead, reading.lead_us());
    wall_lead_us_ = reading.lead_us();
    ++reverts_;
  } else {
    Raise(lead);
  }
  explained_lead_us_ = stored.explained ? ToUs(*stored.explained) - origin_us : lead_us_.load();
  stopped_ = lead - explained_lead_us_ > jump_max_us_;
  if (stopped_) last_jump_us_ = lead - explained_lead_us_;
}

ClockReport TrustedClock::Report() const {
  const std::lock_guard lock(mutex_);
  const Reading reading = ReadWithCare();
  LookAt(reading);
  ClockReport report{.now = TimeAt(reading),
                     .machine = ToWallTime(reading.wall_us),
                     .steps_back = steps_back_,
                     .jumps_forward = jumps_,
                     .physical_deletion_stopped = stopped_,
                     .last_jump = ToMillis(last_jump_us_)};
  if (stopped_) {
    report.without_jump = ToWallTime(reading.passed_us + explained_lead_us_);
  }
  return report;
}

}  // namespace mayfly::core
