// table_reaper_impl.h - the thread that does the upkeep of tables when it is due.
// It sleeps until there is an event of a table's items, a new job, or the next sweep; without
// tables in mode kUntilSwept, until something happens. A failed step is retried after the pause
// between two sweeps.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "mayfly/clock.h"
#include "mayfly/database.h"
#include "mayfly/tables.h"

namespace mayfly::tables {

// The steps it runs, on its thread alone.
struct TableReaperTasks {
  // A part of the work for jobs and events; true when there is more.
  std::function<Result<bool>()> upkeep;
  // Sweeps some dead items in tables of mode kUntilSwept; true when there is more.
  std::function<Result<bool>()> sweep;
  std::function<bool()> has_sweeps;
};

class TableReaperImpl {
 public:
  // The clock measures the pauses, and must outlive it; options.clock is not used.
  static Result<std::shared_ptr<TableReaperImpl>> Start(Database& database,
                                                        const TableReaperOptions& options,
                                                        const Clock& clock, TableReaperTasks work);

  ~TableReaperImpl() { Stop(); }
  TableReaperImpl(const TableReaperImpl&) = delete;
  TableReaperImpl& operator=(const TableReaperImpl&) = delete;

  // Waits for the current step. Afterwards nothing of it runs.
  void Stop();

  // Call it when there may be something to do.
  void Wake() { waker_.Wake(); }

  void AwaitIdle();

 private:
  TableReaperImpl(const TableReaperOptions& options, const Clock& clock, TableReaperTasks work)
      : options_(options), clock_(clock), work_(std::move(work)) {}

  void Run();
  // Repeats the step until there is nothing more, or Stop().
  Status RunToEnd(const std::function<Result<bool>()>& step);
  Result<bool> SweepStep();
  void Rest(bool failed, SteadyTime next_sweep);
  bool stopping() const;

  const TableReaperOptions options_;
  const Clock& clock_;
  const TableReaperTasks work_;
  Waker waker_;
  std::mutex stop_mutex_;  // Held by Stop(); taken first.
  std::unique_ptr<EventSubscription> subscription_;
  std::unique_ptr<Reaper> reaper_;  // Null if not requested.
  std::thread thread_;

  mutable std::mutex mutex_;
  std::condition_variable passed_;
  // Guarded by mutex_.
  bool stopping_ = false;
  std::uint64_t wanted_ = 0;  // Passes that a caller waits for.
  std::uint64_t done_ = 0;
};

}  // namespace mayfly::tables
