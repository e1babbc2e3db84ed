// table_reaper_impl.h - a thread that does upkeep as it falls due.
// It sleeps until there is an event of a table's items, a new job, or the next sweep; without
// tables in mode kUntilSwept, for as long as nothing happens. What fails is tried again after the
// pause between two sweeps.
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

// What it does. Called on its thread alone.
struct TableReaperTasks {
  // Some of what jobs and events ask for; true when there is more.
  std::function<Result<bool>()> upkeep;
  // Some of what is dead in tables of mode kUntilSwept; true when there is more.
  std::function<Result<bool>()> sweep;
  std::function<bool()> has_sweeps;
};

class TableReaperImpl {
 public:
  static Result<std::shared_ptr<TableReaperImpl>> Start(Database& database,
                                                        const TableReaperOptions& options,
                                                        TableReaperTasks work);

  ~TableReaperImpl() { Stop(); }
  TableReaperImpl(const TableReaperImpl&) = delete;
  TableReaperImpl& operator=(const TableReaperImpl&) = delete;

  // Waits for the step under way. Afterwards nothing of it runs.
  void Stop();

  // There may be something to do.
  void Wake() { waker_.Wake(); }

  void AwaitIdle();

 private:
  TableReaperImpl(const TableReaperOptions& options, TableReaperTasks work)
      : options_(options), work_(std::move(work)) {}

  void Run();
  // Until there is nothing more, or it is to end.
  Status RunToEnd(const std::function<Result<bool>()>& step);
  Result<bool> SweepStep();
  void Rest(bool failed, SteadyTime next_sweep);
  bool stopping() const;

  const TableReaperOptions options_;
  const TableReaperTasks work_;
  Waker waker_;
  std::mutex stop_mutex_;  // Of those who stop it; taken first.
  std::unique_ptr<EventSubscription> subscription_;
  std::unique_ptr<Reaper> reaper_;  // Null if not asked for.
  std::thread thread_;

  mutable std::mutex mutex_;
  std::condition_variable passed_;
  // Guarded by mutex_.
  bool stopping_ = false;
  std::uint64_t wanted_ = 0;  // Passes that somebody waits for.
  std::uint64_t done_ = 0;
};

}  // namespace mayfly::tables
