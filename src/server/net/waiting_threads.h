// waiting_threads.h - threads that serve clients, and what they do while a command of theirs waits
// for the store of a cluster.
// A write holds its thread until the store has it. While the store is silent, the thread answers what
// touches no row, and lets the rest wait, instead of standing still with all its clients.
// Safe to call from any thread.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace mayfly::server {

class WaitingThreads {
 public:
  // `serve` is what the calling thread does while it waits, from now on. Null: nothing any more.
  void Register(std::function<void()> serve) {
    const std::lock_guard lock(mutex_);
    if (serve) {
      threads_[std::this_thread::get_id()] = std::move(serve);
    } else {
      threads_.erase(std::this_thread::get_id());
    }
  }

  // Called by a thread that waits, again and again.
  void Serve() {
    std::function<void()> serve;
    {
      const std::lock_guard lock(mutex_);
      const auto found = threads_.find(std::this_thread::get_id());
      if (found == threads_.end()) return;
      serve = found->second;
    }
    serve();
  }

 private:
  std::mutex mutex_;
  std::map<std::thread::id, std::function<void()>> threads_;  // Guarded by mutex_.
};

}  // namespace mayfly::server
