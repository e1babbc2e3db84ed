#include "engine/rocks/files/rocks_env.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <system_error>
#include <utility>

#include "base/owner_process.h"

namespace mayfly::engine {
namespace {

// A record lock of the kernel, as RocksDB takes it: RocksDB's own tools are refused by it. Children
// do not inherit it. Between mayfly processes, MAYFLY.lock decides.
class RecordLock final : public rocksdb::FileLock {
 public:
  explicit RecordLock(int descriptor) : descriptor_(descriptor) {}
  ~RecordLock() override { ::close(descriptor_); }

 private:
  const int descriptor_;
};

std::atomic<int> open_databases{0};

}  // namespace

RocksEnv::RocksEnv(rocksdb::Env& target, FlushGate& flushes, bool has_threads)
    : EnvWrapper(&target), flushes_(flushes), has_threads_(has_threads) {
  // Directly, and not through a wrapper that would call back here for every block.
  file_system_ = target.GetFileSystem();
  system_clock_ = target.GetSystemClock();
  for (Pool& pool : pools_) pool.threads.reset(rocksdb::NewThreadPool(0));
}

RocksEnv::~RocksEnv() {
  flushes_.Open();
  for (const Pool& pool : pools_) pool.threads->JoinAllThreads();
}

void RocksEnv::Schedule(void (*function)(void*), void* argument, Priority priority, void* tag,
                        void (*cancelled)(void*)) {
  Pool& pool = pools_[priority];
  {
    const std::lock_guard lock(mutex_);
    pool.waiting.push_back({function, argument, tag, cancelled});
  }
  if (priority != HIGH) {
    pool.threads->SubmitJob([this, &pool] { RunNext(pool); });
    return;
  }
  pool.threads->SubmitJob([this, &pool] {  // Flushes, and removals of files.
    flushes_.Enter();
    RunNext(pool);
    flushes_.End();
  });
}

// Runs once per scheduled job: a cancelled job leaves a turn without a job.
void RocksEnv::RunNext(Pool& pool) {
  std::list<Job> next;
  {
    const std::lock_guard lock(mutex_);
    if (pool.waiting.empty()) return;
    next.splice(next.begin(), pool.waiting, pool.waiting.begin());
  }
  next.front().function(next.front().argument);
}

int RocksEnv::UnSchedule(void* tag, Priority priority) {
  std::list<Job> taken;
  {
    const std::lock_guard lock(mutex_);
    std::list<Job>& waiting = pools_[priority].waiting;
    for (auto job = waiting.begin(); job != waiting.end();) {
      const auto next = std::next(job);
      if (job->tag == tag) taken.splice(taken.end(), waiting, job);
      job = next;
    }
  }
  for (const Job& job : taken) {
    if (job.cancelled != nullptr) job.cancelled(job.argument);
  }
  return static_cast<int>(taken.size());
}

unsigned int RocksEnv::GetThreadPoolQueueLen(Priority priority) const {
  const std::lock_guard lock(mutex_);
  return static_cast<unsigned int>(pools_[priority].waiting.size());
}

void RocksEnv::SetBackgroundThreads(int threads, Priority priority) {
  pools_[priority].threads->SetBackgroundThreads(threads);
}

int RocksEnv::GetBackgroundThreads(Priority priority) {
  return pools_[priority].threads->GetBackgroundThreads();
}

void RocksEnv::IncBackgroundThreadsIfNeeded(int threads, Priority priority) {
  if (has_threads_ && GetBackgroundThreads(priority) < threads) {
    SetBackgroundThreads(threads, priority);
  }
}

rocksdb::Status RocksEnv::LockFile(const std::string& name, rocksdb::FileLock** lock) {
  *lock = nullptr;
  const auto refused = [&] {
    return rocksdb::Status::IOError("cannot lock " + name, std::generic_category().message(errno));
  };
  const int descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return refused();
  auto taken = std::make_unique<RecordLock>(descriptor);
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(descriptor, F_SETLK, &whole) != 0) return refused();
  *lock = taken.release();
  return {};
}

rocksdb::Status RocksEnv::UnlockFile(rocksdb::FileLock* lock) {
  const std::unique_ptr<rocksdb::FileLock> released(lock);
  return {};
}

void CountOpenDatabase(int change) { open_databases += change; }

void LetChildrenExit() {
  static const OwnerProcess opener;
  static const int registered = ::on_exit(
      [](int status, void*) {
        if (opener.IsThis() || open_databases == 0) return;
        std::cout.flush();
        std::clog.flush();
        std::fflush(nullptr);
        ::_exit(status);
      },
      nullptr);
  static_cast<void>(registered);  // Fails only without memory; then a child's exit() waits.
}

}  // namespace mayfly::engine
