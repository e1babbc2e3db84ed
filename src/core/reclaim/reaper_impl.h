// reaper_impl.h - implements Reaper: a thread that purges dead rows and reclaims their space.
// It sleeps until the head of the index or a promise is due; a write with an earlier deadline wakes
// it. While there is a backlog it purges in short steps, and rests in between for as long as
// ReaperPace wants it: with a small lag it takes a small share of the time, and far behind it does
// not rest. When nothing is left to purge it reclaims files.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/fair_yield.h"
#include "core/reclaim/purger.h"
#include "core/reclaim/reaper_pace.h"
#include "core/reclaim/reclaimer.h"
#include "mayfly/clock.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

class ReaperImpl {
 public:
  static Result<std::unique_ptr<Reaper>> Start(std::shared_ptr<Store> store,
                                               const ReaperOptions& options);
  ~ReaperImpl();
  ReaperImpl(const ReaperImpl&) = delete;
  ReaperImpl& operator=(const ReaperImpl&) = delete;

 private:
  // The handle that Start() returns.
  class Handle final : public Reaper {
   public:
    explicit Handle(std::unique_ptr<ReaperImpl> reaper) : reaper_(std::move(reaper)) {}
    ~Handle() override;

    void AwaitIdle() override;
    bool IsOwnThread() const override;

   private:
    const OwnerProcess owner_;
    std::unique_ptr<ReaperImpl> reaper_;
  };

  void AwaitIdle();
  bool IsOwnThread() const { return thread_.get_id() == std::this_thread::get_id(); }
  // For a callback on its own thread, which cannot wait for itself: the thread stops after the
  // callback, and destroys `reaper` with its last step.
  static void StopAfterCallback(std::unique_ptr<ReaperImpl> reaper);

  ReaperImpl(std::shared_ptr<Store> store, const ReaperOptions& options);

  enum class Outcome : std::uint8_t {
    kIdle,    // Nothing was left to do, at an instant after the step began.
    kMore,    // There is more to do.
    kFailed,  // Nothing could be done.
  };

  void Run(const std::stop_token& stop);
  Outcome Step(const std::stop_token& stop);
  Outcome Purge(const std::stop_token& stop);
  void InformPolicy();
  void Rest(std::chrono::nanoseconds rest);
  void NoteHead();
  ReaperPace::Lag CurrentLag() const;
  Outcome Reclaim(const std::stop_token& stop, bool has_backlog);
  void SleepUntilDue(const std::stop_token& stop);
  WallTime PurgeableAt(WallTime deadline) const;
  bool IsAwaited();
  bool WasWritten() const;
  bool MuchWasRemoved() const;
  void ReportProgress(SteadyTime step_began);
  void LogBacklog(bool more_due);

  const std::shared_ptr<Store> store_;  // Shared with the database.
  const ReaperOptions options_;
  Purger purger_;
  Reclaimer reclaimer_;
  ReaperPace pace_;
  FairYield yield_;
  const SteadyTime started_;
  std::optional<WallTime> head_;             // Of the index, when a step began.
  Millis lag_{0};                            // For how long it had been due then.
  std::optional<SteadyTime> purging_since_;  // Nothing: there was nothing to purge.
  std::optional<SteadyTime> backlog_since_;  // When a large backlog was logged.
  SteadyTime reclaimed_at_;
  bool look_again_ = false;            // Reclaim files again after kReclaimPause.
  std::uint64_t removed_at_look_ = 0;  // Removed rows at the last reclaim that found nothing to do,
  std::uint64_t removed_seen_ = 0;     // and at the last of any.
  std::int64_t written_seen_ = 0;
  Waker waker_;
  std::unique_ptr<ReaperImpl> itself_;  // Of StopAfterCallback(). Only the thread uses it.

  std::mutex mutex_;
  std::condition_variable idle_;
  std::uint64_t rounds_begun_ = 0;   // Guarded by mutex_, like the next three.
  std::uint64_t rounds_idle_ = 0;    // The last round that ended with nothing left.
  std::uint64_t rounds_wanted_ = 0;  // The last round that AwaitIdle() waits for.
  bool stopped_ = false;

  std::jthread thread_;  // Last: it uses the others.
};

}  // namespace mayfly::core
