// load_threads.h - a few threads that read shards into memory.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mayfly::engine::cluster {

// Safe to call from any thread.
class LoadThreads {
 public:
  explicit LoadThreads(std::uint32_t count);
  ~LoadThreads() { Stop(); }

  // Runs `load` when a thread is free; never, after Stop().
  void Add(std::function<void()> load);

  // Waits for what runs; what has not begun is dropped.
  void Stop();

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;  // Guarded by mutex_.
  bool stopping_ = false;                    // Guarded by mutex_.
  std::vector<std::thread> threads_;
};

}  // namespace mayfly::engine::cluster
