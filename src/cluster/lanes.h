// lanes.h - a few threads, each of which does its tasks in order.
// Tasks of one shard go to one lane, so that a shard is never opened and closed at the same time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace mayfly::cluster {

// Safe to call from any thread.
class Lanes {
 public:
  explicit Lanes(std::size_t count);
  ~Lanes() { Stop(); }
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  // After Stop() the caller's thread does the task.
  void Add(std::size_t lane, std::function<void()> task);

  // Returns when all tasks are done. Not from a task.
  void Stop();

 private:
  struct Lane {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;  // Guarded by mutex, as the next.
    bool stopping = false;
    std::thread thread;
  };
  static void Run(Lane& lane);

  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace mayfly::cluster
