// reaper_thread.h - purges as rows die, on a thread of its own.
// It sleeps until the head of the index is due; a write with an earlier deadline wakes it. While
// there is a backlog it works in small steps and rests between them, so that live traffic keeps its
// share.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "core/purger.h"
#include "mayfly/clock.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

class ReaperThread final : public Reaper {
 public:
  static Result<std::unique_ptr<Reaper>> Start(std::shared_ptr<Store> store,
                                               const ReaperOptions& options);
  ~ReaperThread() override;

  void AwaitIdle() override;

 private:
  ReaperThread(std::shared_ptr<Store> store, const ReaperOptions& options);

  enum class Outcome : std::uint8_t {
    kIdle,    // Nothing was left to do, at an instant after the step began.
    kMore,    // There is.
    kFailed,  // Nothing could be done.
  };

  void Run(const std::stop_token& stop);
  Outcome Step();
  void SleepUntilDue(const std::stop_token& stop);
  void Rest(SteadyTime worked_since);

  const std::shared_ptr<Store> store_;  // Shared with the database.
  const ReaperOptions options_;
  Purger purger_;
  Waker waker_;

  std::mutex mutex_;
  std::condition_variable idle_;
  std::uint64_t rounds_begun_ = 0;  // Guarded by mutex_, like the next two.
  std::uint64_t rounds_idle_ = 0;   // The last round that ended with nothing left.
  bool stopped_ = false;

  std::jthread thread_;  // Last: it uses the others.
};

}  // namespace mayfly::core
