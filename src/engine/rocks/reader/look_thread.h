// look_thread.h - a thread of a reader that looks at its writer's files once a second, so that
// deleted ones are closed without calls, too.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace mayfly::engine {

class LookThread {
 public:
  // `look` must be callable until the destructor returns, which waits for it.
  explicit LookThread(std::function<void()> look)
      : thread_([this, look = std::move(look)](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          while (!stop.stop_requested()) {
            rest_.wait_for(lock, stop, kLookPause, [] { return false; });
            if (!stop.stop_requested()) look();
          }
        }) {}

 private:
  static constexpr std::chrono::seconds kLookPause{1};

  std::mutex mutex_;
  std::condition_variable_any rest_;
  std::jthread thread_;  // Last: it uses the others.
};

}  // namespace mayfly::engine
