#include "tables/upkeep/table_reaper_impl.h"

#include <algorithm>

#include "tables/schema/table_names.h"

namespace mayfly::tables {

Result<std::shared_ptr<TableReaperImpl>> TableReaperImpl::Start(Database& database,
                                                                const TableReaperOptions& options,
                                                                const Clock& clock,
                                                                TableReaperTasks work) {
  if (options.sweep_every <= Millis(0)) {
    return Status::Invalid("the time between sweeps must be more than zero");
  }
  std::shared_ptr<TableReaperImpl> made(new TableReaperImpl(options, clock, std::move(work)));
  // Deaths of shadows need no wake: a sweep finds them.
  MAYFLY_TRY(made->subscription_, database.Subscribe([waker = &made->waker_](const Event& e) {
    if (IsItemsOfATable(e.keyspace_name)) waker->Wake();
  }));
  if (options.reap) {
    MAYFLY_TRY(made->reaper_, database.StartReaper());
  }
  made->thread_ = std::thread([raw = made.get()] { raw->Run(); });
  return made;
}

void TableReaperImpl::Stop() {
  const std::lock_guard alone(stop_mutex_);
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  passed_.notify_all();
  waker_.Wake();
  if (thread_.joinable()) thread_.join();
  reaper_.reset();
  subscription_.reset();
}

bool TableReaperImpl::stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void TableReaperImpl::AwaitIdle() {
  // Purging first writes the events of dead rows.
  {
    const std::lock_guard alone(stop_mutex_);
    if (reaper_ != nullptr) reaper_->AwaitIdle();
  }
  std::unique_lock lock(mutex_);
  const std::uint64_t pass = ++wanted_;
  waker_.Wake();
  passed_.wait(lock, [&] { return done_ >= pass || stopping_; });
}

Status TableReaperImpl::RunToEnd(const std::function<Result<bool>()>& step) {
  while (!stopping()) {
    MAYFLY_TRY(const bool more, step());
    if (!more) break;
  }
  return {};
}

// A long sweep must not keep streams waiting.
Result<bool> TableReaperImpl::SweepStep() {
  MAYFLY_TRY(const bool more, work_.sweep());
  if (more) MAYFLY_RETURN_IF_ERROR(work_.upkeep().status());
  return more;
}

void TableReaperImpl::Run() {
  SteadyTime next_sweep = clock_.Steady();
  while (!stopping()) {
    std::uint64_t pass = 0;
    bool asked = false;
    {
      const std::lock_guard lock(mutex_);
      pass = wanted_;
      asked = wanted_ > done_;
    }
    bool failed = !RunToEnd(work_.upkeep).ok();
    if (asked || clock_.Steady() >= next_sweep) {
      failed = !RunToEnd([this] { return SweepStep(); }).ok() || failed;
      next_sweep = clock_.Steady() + options_.sweep_every;
    }
    {
      const std::lock_guard lock(mutex_);
      done_ = pass;
    }
    passed_.notify_all();
    Rest(failed, next_sweep);
  }
}

void TableReaperImpl::Rest(bool failed, SteadyTime next_sweep) {
  if (!failed && !work_.has_sweeps()) {
    waker_.Wait();
    return;
  }
  const auto left = next_sweep - clock_.Steady();
  waker_.WaitFor(std::max<std::chrono::nanoseconds>(
      left, failed ? options_.sweep_every : std::chrono::nanoseconds(0)));
}

}  // namespace mayfly::tables
