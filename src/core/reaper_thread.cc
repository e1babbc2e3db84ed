#include "core/reaper_thread.h"

#include "base/log.h"
#include "core/limits.h"

namespace mayfly::core {

Result<std::unique_ptr<Reaper>> ReaperThread::Start(std::shared_ptr<Store> store,
                                                    const ReaperOptions& options) {
  MAYFLY_RETURN_IF_ERROR(store->CheckOpen());
  if (!store->engine().capabilities().writable) {
    return Status::ReadOnly("a reaper removes rows; open the database for writing");
  }
  if (options.step_rows_max == 0 || options.work_percent == 0 || options.work_percent > 100) {
    return Status::Invalid("a reaper needs at least one row per step and 1 to 100 percent of work");
  }
  return std::unique_ptr<Reaper>(new ReaperThread(std::move(store), options));
}

ReaperThread::ReaperThread(std::shared_ptr<Store> store, const ReaperOptions& options)
    : store_(std::move(store)), options_(options), purger_(*store_) {
  ++store_->counts().reapers;
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

ReaperThread::~ReaperThread() {
  thread_.request_stop();
  waker_.Wake();
  thread_.join();
  --store_->counts().reapers;
}

void ReaperThread::AwaitIdle() {
  std::unique_lock lock(mutex_);
  // The round under way may have read the clock before this call; the next one will not have.
  const std::uint64_t wanted = rounds_begun_ + 1;
  waker_.Wake();
  idle_.wait(lock, [&] { return rounds_idle_ >= wanted || stopped_; });
}

void ReaperThread::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::uint64_t round = 0;
    {
      const std::lock_guard lock(mutex_);
      round = ++rounds_begun_;
    }
    const SteadyTime began = store_->clock().Steady();
    const Outcome outcome = Step();
    if (outcome == Outcome::kMore) {
      Rest(began);
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      rounds_idle_ = round;
    }
    idle_.notify_all();
    if (outcome == Outcome::kFailed) {
      waker_.WaitFor(kReaperRetryPause);  // What is due is due already: no deadline would wake it.
    } else {
      SleepUntilDue(stop);
    }
  }
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  idle_.notify_all();
}

ReaperThread::Outcome ReaperThread::Step() {
  const auto report = purger_.Purge({.rows_max = options_.step_rows_max});
  if (report) return report->more_due ? Outcome::kMore : Outcome::kIdle;
  Log(store_->logger(), LogLevel::kError, "the reaper cannot purge: {}", report.error().ToString());
  return Outcome::kFailed;
}

void ReaperThread::SleepUntilDue(const std::stop_token& stop) {
  store_->watch().Announce(waker_, WallTime::max());
  const auto next = purger_.NextDeadline();
  const WallTime until = next && *next ? **next : WallTime::max();
  store_->watch().Announce(waker_, until);
  // While the clock is not trusted nothing can be done, however much is due: wait for a word.
  const bool wait = !store_->clock().may_delete() || store_->clock().Now() < until;
  if (wait && !stop.stop_requested()) {
    store_->clock().source().Sleep(waker_, store_->clock().may_delete() ? until : WallTime::max());
  }
  store_->watch().Withdraw(waker_);
}

void ReaperThread::Rest(SteadyTime worked_since) {
  const auto worked = store_->clock().Steady() - worked_since;
  const auto rest = worked * (100 - options_.work_percent) / options_.work_percent;
  if (rest.count() > 0) waker_.WaitFor(rest);
}

}  // namespace mayfly::core
