// jobs.h - background jobs: started by a command, run on one thread, queried later.
// Jobs run one after the other, in the order in which they were started, so that two of them never
// share the disk with each other and the clients. A job reports its progress to JobControl and
// learns from it that it was cancelled; its result is kept for a while, as a function that writes a
// reply. Safe to call from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mayfly/clock.h"
#include "mayfly/result.h"
#include "wire/reply_writer.h"

namespace mayfly::server {

// A job's result, written as one element of a reply. Kept and called after the job has ended, from
// any thread, any number of times.
using JobResult = std::function<void(ReplyWriter&)>;

// Between a job and the thread that queries or cancels it.
class JobControl {
 public:
  // Reports progress, in the job's own unit. False: the job should end, with any error.
  bool Report(std::uint64_t done, std::uint64_t all) {
    done_.store(done, std::memory_order_relaxed);
    all_.store(all, std::memory_order_relaxed);
    return !cancelled();
  }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  friend class Jobs;

  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> all_{0};
  std::atomic<bool> cancelled_{false};
};

enum class JobState : std::uint8_t { kWaiting, kRunning, kDone, kFailed, kCancelled };

std::string_view NameOf(JobState state);

struct JobInfo {
  std::uint64_t id = 0;
  std::string kind;  // "prove", say.
  JobState state = JobState::kWaiting;
  WallTime started;  // When it was asked for.
  Millis took{0};    // So far, or in all; without the wait.
  std::uint64_t done = 0;
  std::uint64_t all = 0;
  std::string error;      // Of one that failed or was cancelled.
  JobResult result = {};  // Null while it runs, and once it was dropped.
};

class Jobs {
 public:
  using Run = std::function<Result<JobResult>(JobControl&)>;

  // `clock` dates jobs, `real_clock` measures them; both must outlive it.
  Jobs(const Clock& clock, const Clock& real_clock) : clock_(clock), real_clock_(real_clock) {}
  ~Jobs() { Stop(); }
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Returns its number. Busy when kJobsWaitingMax wait, or when Stop() was called.
  Result<std::uint64_t> Start(std::string kind, Run run);

  // The latest first: those that wait and run, and the last kJobsKept that ended.
  std::vector<JobInfo> List() const;

  // NotFound: there was none, or it was dropped.
  Result<JobInfo> Find(std::uint64_t id) const;

  // NotFound when it has ended, or never was. One that runs ends soon.
  Status Cancel(std::uint64_t id);

  // Drops the results of jobs that ended before this.
  void ForgetResults(WallTime before);

  bool empty() const;

  // Cancels all, and waits for the one that runs. None can be started any more.
  void Stop();

 private:
  struct Job {
    JobInfo info;
    Run run;
    JobControl control;
    SteadyTime began;
    WallTime ended;
  };

  void RunAll();
  static JobInfo InfoOf(const Job& job, SteadyTime now);
  std::shared_ptr<Job> Get(std::uint64_t id) const;

  const Clock& clock_;
  const Clock& real_clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_, but for each job's control.
  std::deque<std::shared_ptr<Job>>
      jobs_;  // The oldest first; shared with the thread that runs one.
  std::uint64_t last_id_ = 0;
  bool stopping_ = false;
  std::thread thread_;  // Started with the first job.
};

}  // namespace mayfly::server
