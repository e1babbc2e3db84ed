// mailbox.h - brings work to the thread of a node: replies of the store, and calls from outside.
// Replies may come after the node is gone, so they share the mailbox, which then takes nothing.
// Safe to call from any thread.
#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "mayfly/clock.h"

namespace mayfly::engine::cluster {

class Mailbox {
 public:
  using Task = std::function<void()>;

  // Runs `task` on the node's thread; never, once the mailbox is closed.
  void Post(Task task) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      tasks_.push_back(std::move(task));
    }
    waker_.Wake();
  }

  std::vector<Task> TakeAll() {
    const std::lock_guard lock(mutex_);
    return std::exchange(tasks_, {});
  }

  void Close() {
    std::vector<Task> dropped;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      dropped.swap(tasks_);
    }
    waker_.Wake();
  }

  // Woken by Post() and Close().
  Waker& waker() { return waker_; }

 private:
  std::mutex mutex_;
  std::vector<Task> tasks_;  // Guarded by mutex_.
  bool closed_ = false;      // Guarded by mutex_.
  Waker waker_;
};

}  // namespace mayfly::engine::cluster
