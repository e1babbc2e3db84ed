#include "server/session/jobs/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/command/limits.h"

namespace mayfly::server {
namespace {

bool HasEnded(JobState state) { return state > JobState::kRunning; }

}  // namespace

std::string_view NameOf(JobState state) {
  switch (state) {
    case JobState::kWaiting: return "waiting";
    case JobState::kRunning: return "running";
    case JobState::kDone: return "done";
    case JobState::kFailed: return "failed";
    case JobState::kCancelled: return "cancelled";
  }
  return "unknown";
}

Result<std::uint64_t> Jobs::Start(std::string kind, Run run) {
  const std::lock_guard lock(mutex_);
  const auto waiting = static_cast<std::size_t>(std::count_if(
      jobs_.begin(), jobs_.end(), [](const auto& job) { return !HasEnded(job->info.state); }));
  if (stopping_ || waiting >= kJobsWaitingMax) {
    return Status::Busy(fmt::format("{} jobs wait already; TTL.JOB CANCEL ends one", waiting));
  }
  auto job = std::make_shared<Job>();
  job->info.id = ++last_id_;
  job->info.kind = std::move(kind);
  job->info.started = clock_.Now();
  job->run = std::move(run);
  jobs_.push_back(std::move(job));
  while (jobs_.size() > kJobsKept && HasEnded(jobs_.front()->info.state)) jobs_.pop_front();
  if (!thread_.joinable()) thread_ = std::thread([this] { RunAll(); });
  changed_.notify_all();
  return last_id_;
}

void Jobs::RunAll() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto next = std::find_if(jobs_.begin(), jobs_.end(), [](const auto& job) {
      return job->info.state == JobState::kWaiting;
    });
    if (next == jobs_.end()) {
      if (stopping_) return;
      changed_.wait(lock);
      continue;
    }
    const std::shared_ptr<Job> job = *next;
    job->info.state = JobState::kRunning;
    job->began = real_clock_.Steady();
    lock.unlock();
    Result<JobResult> result = job->run(job->control);
    job->run = nullptr;  // Frees its captures.
    lock.lock();
    job->info.took = std::chrono::duration_cast<Millis>(real_clock_.Steady() - job->began);
    job->ended = clock_.Now();
    if (result) {
      job->info.state = JobState::kDone;
      job->info.result = *std::move(result);
    } else {
      job->info.state = job->control.cancelled() ? JobState::kCancelled : JobState::kFailed;
      job->info.error = result.error().ToString();
    }
  }
}

JobInfo Jobs::InfoOf(const Job& job, SteadyTime now) {
  JobInfo info = job.info;
  info.done = job.control.done_.load(std::memory_order_relaxed);
  info.all = job.control.all_.load(std::memory_order_relaxed);
  if (info.state == JobState::kRunning) {
    info.took = std::chrono::duration_cast<Millis>(now - job.began);
  }
  return info;
}

std::vector<JobInfo> Jobs::List() const {
  const SteadyTime now = real_clock_.Steady();
  const std::lock_guard lock(mutex_);
  std::vector<JobInfo> list;
  for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job) list.push_back(InfoOf(**job, now));
  return list;
}

std::shared_ptr<Jobs::Job> Jobs::Get(std::uint64_t id) const {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(),
                                  [id](const auto& job) { return job->info.id == id; });
  return found == jobs_.end() ? nullptr : *found;
}

Result<JobInfo> Jobs::Find(std::uint64_t id) const {
  const SteadyTime now = real_clock_.Steady();
  const std::lock_guard lock(mutex_);
  const auto job = Get(id);
  if (job == nullptr) return Status::NotFound(fmt::format("there is no job {}", id));
  return InfoOf(*job, now);
}

Status Jobs::Cancel(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto job = Get(id);
  if (job == nullptr || HasEnded(job->info.state)) {
    return Status::NotFound(fmt::format("there is no job {} that waits or runs", id));
  }
  job->control.cancelled_.store(true);
  if (job->info.state == JobState::kWaiting) {
    job->info.state = JobState::kCancelled;
    job->info.error = "cancelled before it began";
    job->ended = clock_.Now();
    job->run = nullptr;
  }
  return {};
}

void Jobs::ForgetResults(WallTime before) {
  const std::lock_guard lock(mutex_);
  for (const auto& job : jobs_) {
    if (HasEnded(job->info.state) && job->ended < before) job->info.result = nullptr;
  }
}

bool Jobs::empty() const {
  const std::lock_guard lock(mutex_);
  return jobs_.empty();
}

void Jobs::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& job : jobs_) {
      job->control.cancelled_.store(true);
      if (job->info.state == JobState::kWaiting) job->info.state = JobState::kCancelled;
    }
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace mayfly::server
