// newcomers.h - which rows have to prove that they are worth their memory, after S3-FIFO (Yang et al.,
// SOSP 2023).
// A row that comes to memory, by a commit or from the cold store, is a newcomer. The eviction asks
// newcomers first, in the order in which they became clean: a row that was read since stays, and the
// hand of the eviction comes by from then on; the others leave. So rows that are written or read
// once do not push out those that are read again and again.
// The keys that left, or were looked for in vain, are remembered for a while, as 31 bits of their
// hashes: a row comes to a full memory only when it is missed a second time.
// Hashes and not handles, since rows move; not keys, since keys may be secret.
// Threads: every call from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/address.h"

namespace mayfly::engine::hot {

class Newcomers {
 public:
  struct One {
    Role role = Role::kRows;
    std::uint64_t hash = 0;
  };

  // Remembers about so many keys; 0: none.
  explicit Newcomers(std::size_t keys_max)
      : keys_max_(keys_max),
        missed_(keys_max == 0 ? nullptr
                              : std::make_unique<std::atomic<std::uint32_t>[]>(keys_max)) {}

  // A newcomer that is clean: it may be asked from now on.
  void Add(One one) {
    const std::lock_guard lock(mutex_);
    clean_.push_back(one);
    count_.store(clean_.size(), std::memory_order_relaxed);
  }

  // The one that came first.
  std::optional<One> Take() {
    const std::lock_guard lock(mutex_);
    if (clean_.empty()) return std::nullopt;
    const One one = clean_.front();
    clean_.pop_front();
    count_.store(clean_.size(), std::memory_order_relaxed);
    return one;
  }

  std::size_t size() const { return count_.load(std::memory_order_relaxed); }

  // True if the key was missed lately; otherwise it is remembered from now on.
  bool WasMissed(One one) {
    if (keys_max_ == 0) return true;
    const std::uint64_t hash = one.hash + static_cast<std::uint64_t>(one.role) * kRoleStep;
    std::atomic<std::uint32_t>& place = missed_[hash % keys_max_];
    const auto key = static_cast<std::uint32_t>(hash >> 33) | 1U;
    if (place.load(std::memory_order_relaxed) == key) return true;
    place.store(key, std::memory_order_relaxed);
    return false;
  }

  std::size_t memory_bytes() const {
    return keys_max_ * sizeof(std::uint32_t) + size() * sizeof(One);
  }

 private:
  static constexpr std::uint64_t kRoleStep = 0x9e3779b97f4a7c15;

  const std::size_t keys_max_;
  // By hash: a later key takes the place of an earlier one.
  const std::unique_ptr<std::atomic<std::uint32_t>[]> missed_;

  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;
  std::deque<One> clean_;
};

}  // namespace mayfly::engine::hot
