// rocks_env.h - the threads and the file lock of one open RocksDB database.
// RocksDB would share both among all databases of a process, in static objects, and a child made by
// fork() has a copy of these: its flushes would wait for threads that only the parent has, and its
// lock table would list the parent's databases. With an Env per database, the child can open
// databases anew. Files and time are the target's.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/threadpool.h>

#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "engine/rocks/files/flush_gate.h"

namespace mayfly::engine {

class RocksEnv final : public rocksdb::EnvWrapper {
 public:
  // `target` must outlive it, and so must `flushes`, the gate of RocksDB's flushes. Without threads,
  // RocksDB's requests for some are ignored: readers schedule no jobs.
  RocksEnv(rocksdb::Env& target, FlushGate& flushes, bool has_threads = true);
  ~RocksEnv() override;  // Waits for its threads.

  void Schedule(void (*function)(void*), void* argument, Priority priority, void* tag,
                void (*cancelled)(void*)) override;
  int UnSchedule(void* tag, Priority priority) override;
  unsigned int GetThreadPoolQueueLen(Priority priority) const override;
  void SetBackgroundThreads(int threads, Priority priority) override;
  int GetBackgroundThreads(Priority priority) override;
  void IncBackgroundThreadsIfNeeded(int threads, Priority priority) override;
  int ReserveThreads(int /*threads*/, Priority /*priority*/) override { return 0; }
  int ReleaseThreads(int /*threads*/, Priority /*priority*/) override { return 0; }

  rocksdb::Status LockFile(const std::string& name, rocksdb::FileLock** lock) override;
  rocksdb::Status UnlockFile(rocksdb::FileLock* lock) override;

 private:
  struct Job {
    void (*function)(void*);
    void* argument;
    void* tag;
    void (*cancelled)(void*);  // May be null.
  };
  struct Pool {
    std::unique_ptr<rocksdb::ThreadPool> threads;
    std::list<Job> waiting;  // Guarded by mutex_.
  };

  void RunNext(Pool& pool);

  FlushGate& flushes_;
  const bool has_threads_;

  mutable std::mutex mutex_;
  std::array<Pool, TOTAL> pools_;  // By priority.
};

// A child made by fork() cannot destroy RocksDB's static objects, on whose conditions threads of
// the parent wait: its exit() would not return. Call this after a database was opened. It registers
// an exit handler by which a child that was forked while databases were open flushes its streams
// and ends, before those objects are destroyed.
void LetChildrenExit();

// Counts the open databases of this process, for LetChildrenExit().
void CountOpenDatabase(int change);

}  // namespace mayfly::engine
