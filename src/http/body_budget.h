// body_budget.h - how much memory the bodies of all clients together may take.
// Who sent a body is known when it is whole, so until then it is a stranger's, and strangers can
// open thousands of connections. Each has a little for nothing; beyond that, bodies share one
// budget by what has arrived of them. When it is used up, a body that grows is refused, and bodies
// that take long are given up (kBodyTimeCrowded), so that slow clients keep nobody out for long.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "http/limits.h"

namespace mayfly::http {

// Safe from any thread.
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}
  BodyBudget(const BodyBudget&) = delete;
  BodyBudget& operator=(const BodyBudget&) = delete;

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  bool IsCrowded() const { return used() > bytes_max_ / 2; }

  // What one connection has of it; given back with the connection. For one thread at a time.
  class Share {
   public:
    explicit Share(BodyBudget& budget) : budget_(budget) {}
    ~Share() { budget_.used_ -= held_; }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // From now on it holds so many bytes, more or fewer than before. False when there is no room
    // for more: then it has what it had.
    bool Hold(std::size_t bytes) {
      const std::size_t wanted = bytes - std::min(bytes, kBodyBytesFree);
      if (wanted > held_) {
        const std::size_t more = wanted - held_;
        if (budget_.used_.fetch_add(more) + more > budget_.bytes_max_) {
          budget_.used_ -= more;
          return false;
        }
      } else if (wanted < held_) {
        budget_.used_ -= held_ - wanted;
      }
      held_ = wanted;
      return true;
    }

    std::size_t held() const { return held_; }

   private:
    BodyBudget& budget_;
    std::size_t held_ = 0;
  };

 private:
  const std::size_t bytes_max_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace mayfly::http
