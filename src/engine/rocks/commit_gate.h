// commit_gate.h - a fair shared lock: a commit with conditions runs alone.
// No other commit may come between checking a condition and writing its batch. Commits without
// conditions pass concurrently; one with conditions waits until they are done and runs alone. While
// it waits, it holds the turnstile, at which new commits queue: a stream of plain commits, each an
// fsync long, would otherwise never leave a gap.
#pragma once

#include <atomic>
#include <mutex>
#include <shared_mutex>

namespace mayfly::engine {

class CommitGate {
 public:
  using Together = std::shared_lock<std::shared_mutex>;
  using Alone = std::unique_lock<std::shared_mutex>;

  // The pass lasts as long as the returned lock.
  Together PassTogether() {
    if (waiting_.load(std::memory_order_acquire) > 0) {
      const std::lock_guard queue(turnstile_);
    }
    return Together(inside_);
  }

  Alone PassAlone() {
    ++waiting_;
    const std::lock_guard queue(turnstile_);
    Alone alone(inside_);
    --waiting_;
    return alone;
  }

 private:
  std::mutex turnstile_;  // Taken before inside_.
  std::shared_mutex inside_;
  std::atomic<int> waiting_{0};
};

}  // namespace mayfly::engine
