#include "core/reclaim/reaper_impl.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "core/layout/limits.h"

namespace mayfly::core {

Result<std::unique_ptr<Reaper>> ReaperImpl::Start(std::shared_ptr<Store> store,
                                                  const ReaperOptions& options) {
  MAYFLY_RETURN_IF_ERROR(store->CheckOpen());
  if (!store->engine().capabilities().writable) {
    return Status::ReadOnly("a reaper removes rows; open the database for writing");
  }
  if (options.step_rows_max == 0 || options.work_percent == 0 || options.work_percent > 100) {
    return Status::Invalid("a reaper needs at least one row per step and 1 to 100 percent of work");
  }
  if (options.reclaim_dead_percent == 0 || options.reclaim_dead_percent > 100) {
    return Status::Invalid("reclaim_dead_percent must be 1 to 100; to leave files alone, say so");
  }
  return std::unique_ptr<Reaper>(std::make_unique<Handle>(
      std::unique_ptr<ReaperImpl>(new ReaperImpl(std::move(store), options))));
}

// A child made by fork() has no thread to stop; it has conditions that the parent's thread waits
// on, which must not be destroyed.
ReaperImpl::Handle::~Handle() {
  if (!owner_.IsThis()) {
    Abandon(std::move(reaper_));
  } else if (reaper_->IsOwnThread()) {
    StopAfterCallback(std::move(reaper_));
  }
}

void ReaperImpl::Handle::AwaitIdle() {
  if (owner_.IsThis() && !reaper_->IsOwnThread()) reaper_->AwaitIdle();
}

bool ReaperImpl::Handle::IsOwnThread() const { return owner_.IsThis() && reaper_->IsOwnThread(); }

ReaperImpl::ReaperImpl(std::shared_ptr<Store> store, const ReaperOptions& options)
    : store_(std::move(store)),
      options_(options),
      purger_(*store_),
      reclaimer_(*store_),
      pace_(options_.work_percent),
      started_(store_->clock().Steady()) {
  ++store_->counts().reapers;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    Run(stop);
    const std::unique_ptr<ReaperImpl> ended = std::move(itself_);
  });
}

ReaperImpl::~ReaperImpl() {
  if (thread_.joinable()) {
    thread_.request_stop();
    waker_.Wake();
    thread_.join();
  }
  store_->horizon().NotePurge(std::nullopt);
  --store_->counts().reapers;
}

void ReaperImpl::StopAfterCallback(std::unique_ptr<ReaperImpl> reaper) {
  ReaperImpl& stopping = *reaper;
  stopping.thread_.request_stop();
  stopping.waker_.Wake();
  stopping.thread_.detach();
  stopping.itself_ = std::move(reaper);
}

void ReaperImpl::AwaitIdle() {
  std::unique_lock lock(mutex_);
  // The round under way may have read the clock before this call; the next one reads it later.
  const std::uint64_t wanted = rounds_begun_ + 1;
  rounds_wanted_ = wanted;
  waker_.Wake();
  idle_.wait(lock, [&] { return rounds_idle_ >= wanted || stopped_; });
}

void ReaperImpl::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::uint64_t round = 0;
    {
      const std::lock_guard lock(mutex_);
      round = ++rounds_begun_;
    }
    const Outcome outcome = Step(stop);
    if (outcome == Outcome::kMore) continue;
    bool wanted = false;
    {
      const std::lock_guard lock(mutex_);
      rounds_idle_ = round;
      wanted = rounds_wanted_ > round;
    }
    idle_.notify_all();
    if (wanted) continue;  // AwaitIdle() may have woken it from a rest.
    if (outcome == Outcome::kFailed) {
      waker_.WaitFor(kReaperRetryPause);  // Rows are due already: no deadline would wake it.
    } else {
      SleepUntilDue(stop);
    }
  }
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  idle_.notify_all();
}

ReaperImpl::Outcome ReaperImpl::Step(const std::stop_token& stop) {
  const Outcome purged = Purge(stop);
  if (purged == Outcome::kFailed || !options_.reclaim) return purged;
  const SteadyTime now = store_->clock().Steady();
  if (purged == Outcome::kMore && now - reclaimed_at_ < kReclaimWithBacklogEvery) return purged;
  reclaimed_at_ = now;
  const Outcome reclaimed = Reclaim(stop, purged == Outcome::kMore);
  return purged == Outcome::kMore && reclaimed == Outcome::kIdle ? purged : reclaimed;
}

ReaperImpl::Outcome ReaperImpl::Purge(const std::stop_token& stop) {
  NoteHead();
  const SteadyTime began = store_->clock().Steady();
  const PurgePace pace{.batch_rows_max = kReaperStepRowsMax,
                       .one_latch = true,
                       .rest = [&](const ReaperPace::Step& step) {
                         ReportProgress(began);
                         const auto rest = pace_.RestAfter(step, CurrentLag());
                         if (!stop.stop_requested()) Rest(rest);
                       }};
  InformPolicy();
  const auto report = purger_.Purge({.rows_max = options_.step_rows_max}, pace);
  if (!report || report->stopped_by_clock) store_->horizon().NotePurge(std::nullopt);
  if (report) LogBacklog(report->more_due);
  if (report && !report->more_due) purging_since_.reset();
  if (report) return report->more_due ? Outcome::kMore : Outcome::kIdle;
  Log(store_->logger(), LogLevel::kError, "the reaper cannot purge: {}", report.error().ToString());
  return Outcome::kFailed;
}

// What is dead now goes soon, so the engine may wait for it.
void ReaperImpl::InformPolicy() {
  if (store_->clock().may_delete()) store_->horizon().NotePurge(store_->clock().Now());
}

void ReaperImpl::Rest(std::chrono::nanoseconds rest) {
  if (rest.count() > 0) {
    waker_.WaitFor(rest);
  } else {
    yield_.Offer(store_->clock());
  }
}

void ReaperImpl::NoteHead() {
  const auto first = purger_.NextDeadline();
  head_ = first ? *first : std::nullopt;
  if (head_) pace_.NoteHead(*head_, store_->clock().Steady());
  lag_ = CurrentLag().age;
}

ReaperPace::Lag ReaperImpl::CurrentLag() const {
  const WallTime now = store_->clock().Now();
  const WallTime last_write = WallTimeFromMs(store_->counts().last_write_ms);
  return {.age = head_ ? std::max(now - *head_, Millis(0)) : Millis(0),
          .rows = purger_.due_rows(),
          .quiet = now - last_write >= kQuietAfter};
}

// With a backlog it is no quiet moment, though nobody writes: a flush would write out what is purged
// next.
ReaperImpl::Outcome ReaperImpl::Reclaim(const std::stop_token& stop, bool has_backlog) {
  const std::unique_lock alone(store_->reclaim_mutex(), std::try_to_lock);
  look_again_ = true;
  const std::uint64_t removed = store_->counts().removed_rows;
  const std::int64_t written = store_->counts().last_write_ms;
  removed_seen_ = removed;
  written_seen_ = written;
  if (!alone.owns_lock()) return Outcome::kIdle;  // A caller is in Database::Reclaim().
  const bool quiet = !has_backlog && store_->clock().Now() - WallTimeFromMs(written) >= kQuietAfter;
  ReclaimReport report;
  const auto outcome = reclaimer_.Step(
      {.dead_percent = options_.reclaim_dead_percent,
       .bytes_per_second = options_.reclaim_bytes_per_second},
      quiet, [&] { return stop.stop_requested(); }, report);
  if (!outcome) {
    Log(store_->logger(), LogLevel::kError, "the reaper cannot reclaim space: {}",
        outcome.error().ToString());
    return Outcome::kFailed;
  }
  if (*outcome == Reclaimer::Outcome::kProgressed) return Outcome::kMore;
  // After the last row that callers deleted the files are checked once more.
  look_again_ = *outcome != Reclaimer::Outcome::kNothing || report.held_up || !quiet ||
                removed != removed_at_look_;
  removed_at_look_ = removed;
  return Outcome::kIdle;
}

// A wake-up in vain costs a read of the head of the index. Only due rows or new writes are worth a
// step: a step on an idle database would list its files and sync its log for nothing.
void ReaperImpl::SleepUntilDue(const std::stop_token& stop) {
  const WallTime next_look = store_->clock().Now() + kReclaimPause;
  while (!stop.stop_requested() && !IsAwaited()) {
    store_->watch().Announce(waker_, WallTime::max());
    const auto next = purger_.NextDeadline();
    WallTime until = next && *next ? PurgeableAt(**next) : WallTime::max();
    if (purger_.HasOrphans()) until = WallTimeFromMs(0);
    if (options_.reclaim) until = std::min(until, reclaimer_.NextDue());
    if (options_.reclaim && (look_again_ || WasWritten())) until = std::min(until, next_look);
    if (options_.reclaim && MuchWasRemoved()) until = WallTimeFromMs(0);
    store_->watch().Announce(waker_, until);
    if (store_->clock().Now() >= until) break;
    store_->clock().Sleep(waker_, until);
  }
  store_->watch().Withdraw(waker_);
}

// While the clock is not trusted dead rows must wait for Confirm() or Revert(); deleted ones need
// not. Nobody tells when other clocks allow more.
WallTime ReaperImpl::PurgeableAt(WallTime deadline) const {
  TrustedClock& clock = store_->clock();
  if (!clock.Reconsider()) return WallTime::max();
  const WallTime now = clock.Now();
  if (deadline <= std::min(now, clock.removable_by())) return deadline;
  return deadline > now ? deadline : now + kRemovalLimitPause;
}

bool ReaperImpl::IsAwaited() {
  const std::lock_guard lock(mutex_);
  return rounds_wanted_ > rounds_begun_;
}

// True when rows were written or removed since the last reclaim. Deletes by callers do not wake the
// reaper, unless they clear a keyspace.
bool ReaperImpl::WasWritten() const {
  return store_->counts().removed_rows != removed_seen_ ||
         store_->counts().last_write_ms != written_seen_;
}

bool ReaperImpl::MuchWasRemoved() const {
  return store_->counts().removed_rows - removed_seen_ >= kFlushAfterRows;
}

void ReaperImpl::ReportProgress(SteadyTime step_began) {
  if (!purging_since_)
    purging_since_ =
        step_began - std::min(lag_, std::chrono::duration_cast<Millis>(step_began - started_));
  if (options_.on_progress) options_.on_progress(store_->clock().Steady() - *purging_since_);
}

// Logs when many rows wait, and when they are gone: until then disk usage and statistics lag
// behind.
void ReaperImpl::LogBacklog(bool more_due) {
  const std::uint64_t waiting = purger_.TakeBacklog();
  const SteadyTime now = store_->clock().Steady();
  if (waiting >= kBacklogRowsLogged && !backlog_since_) {
    backlog_since_ = now;
    Log(store_->logger(), LogLevel::kInfo,
        "{} dead rows wait for their purge; clients do not see them, their disk space comes back "
        "step by step",
        waiting);
  }
  if (more_due || !backlog_since_) return;
  const auto taken = std::chrono::duration_cast<Millis>(now - *backlog_since_);
  Log(store_->logger(), LogLevel::kInfo, "all dead rows are purged, after {} ms", taken.count());
  backlog_since_.reset();
}

}  // namespace mayfly::core
