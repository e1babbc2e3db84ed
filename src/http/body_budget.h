// body_budget.h - bounds the memory of all clients' request bodies together.
// A body can be authenticated only when it is complete; until then it is a stranger's, and
// strangers can open thousands of connections. Each connection has a small allowance; beyond that,
// bodies share one budget by the bytes that have arrived. When it is used up, a body that grows is
// refused, and slow bodies are given up (kBodyTimeCrowded), so that slow clients do not keep others
// out for long.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "http/limits.h"

namespace mayfly::http {

// Safe to call from any thread.
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}
  BodyBudget(const BodyBudget&) = delete;
  BodyBudget& operator=(const BodyBudget&) = delete;

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  bool IsCrowded() const { return used() > bytes_max_ / 2; }

  // The share of one connection; released with the connection. For one thread at a time.
  class Share {
   public:
    explicit Share(BodyBudget& budget) : budget_(budget) {}
    ~Share() { budget_.used_ -= held_; }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // Sets the bytes held, more or fewer than before. False when there is no room for more: then
    // the share is unchanged.
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
