// latch.h - a reader-writer lock of four bytes, for arrays of them.
//   state | writer u1 | woken u1 | writers that wait u13 | readers wait u1 | readers u16 |
// Taking a free latch is one compare-and-swap, in line. Who finds it held sleeps in the kernel. Until
// a writer that was woken has looked at the latch, others that release it wake nobody again: on a hot
// key a thread may take and release it many times before the one that it woke is running.
// Writers go first: a reader waits behind a waiting writer, or overlapping readers would keep
// writers out for ever. Hence no thread may take a latch twice. Not fair among writers.
// Threads: every call from any thread; unlock from any thread, too.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/check.h"

namespace mayfly {

class Latch {
 public:
  Latch() = default;
  Latch(const Latch&) = delete;
  Latch& operator=(const Latch&) = delete;

  // The names that std::unique_lock and std::shared_lock need.
  void lock() {
    std::uint32_t free = 0;
    if (!state_.compare_exchange_strong(free, kWriter, std::memory_order_acquire)) [[unlikely]]
      LockSlowly();
  }
  bool try_lock() {
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    return (seen & (kWriter | kReaders)) == 0 &&
           state_.compare_exchange_strong(seen, seen | kWriter, std::memory_order_acquire);
  }
  void unlock() {
    std::uint32_t seen = kWriter;
    if (!state_.compare_exchange_strong(seen, 0, std::memory_order_release)) [[unlikely]]
      UnlockSlowly(seen);
  }

  void lock_shared() {
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    if ((seen & (kWriter | kWritersWait)) != 0 ||
        !state_.compare_exchange_strong(seen, seen + 1, std::memory_order_acquire)) [[unlikely]]
      LockSharedSlowly();
  }
  bool try_lock_shared() {
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    while ((seen & (kWriter | kWritersWait)) == 0) {
      if (state_.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire)) return true;
    }
    return false;
  }
  void unlock_shared() {
    const std::uint32_t seen = state_.fetch_sub(1, std::memory_order_release);
    if ((seen & kReaders) == 1 && (seen & kWritersWait)) [[unlikely]]
      WakeWriters();
  }

  // Returns when the writer that holds it now, if any, has left. What that writer did is visible
  // then, and what the caller did before is visible to later writers.
  void AwaitWriter() {
    std::uint32_t seen = state_.fetch_add(0, std::memory_order_acq_rel);
    while (seen & kWriter) {
      // As a reader that waits, or nobody would wake it.
      if (!Announce(seen, kReadersWait)) continue;
      state_.wait(seen, std::memory_order_relaxed);
      seen = state_.fetch_add(0, std::memory_order_acq_rel);
    }
  }

 private:
  static constexpr std::uint32_t kWriter = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kWoken = std::uint32_t{1} << 30;
  static constexpr std::uint32_t kWaitingWriter = 1 << 17;
  static constexpr std::uint32_t kWritersWait = kWoken - kWaitingWriter;
  static constexpr std::uint32_t kReadersWait = 1 << 16;
  static constexpr std::uint32_t kReaders = kReadersWait - 1;

  // True if `seen` was the state still, with the bit now. Otherwise `seen` is what it is.
  bool Announce(std::uint32_t& seen, std::uint32_t bit) {
    if (seen & bit) return true;
    if (!state_.compare_exchange_weak(seen, seen | bit, std::memory_order_relaxed)) return false;
    seen |= bit;
    return true;
  }

  void UnlockSlowly(std::uint32_t seen) {
    std::uint32_t next = 0;
    do {
      next = seen & ~(kWriter | kReadersWait);
      if (seen & kWritersWait) next |= kWoken;
    } while (!state_.compare_exchange_weak(seen, next, std::memory_order_release,
                                           std::memory_order_relaxed));
    const bool wakes_writers = (seen & kWritersWait) != 0 && (seen & kWoken) == 0;
    if (wakes_writers || (seen & kReadersWait) != 0) state_.notify_all();
  }

  void WakeWriters() {
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    while ((seen & kWritersWait) != 0 && (seen & kWoken) == 0) {
      if (!state_.compare_exchange_weak(seen, seen | kWoken, std::memory_order_relaxed)) continue;
      state_.notify_all();
      return;
    }
  }

  void LockSlowly() {
    std::uint32_t seen =
        state_.fetch_add(kWaitingWriter, std::memory_order_relaxed) + kWaitingWriter;
    MAYFLY_CHECK((seen & kWritersWait) != 0, "a latch has more waiting writers than it can count");
    for (;;) {
      if (seen & (kWriter | kReaders)) {
        // Who releases it next has to wake this one.
        if ((seen & kWoken) != 0) {
          if (!state_.compare_exchange_weak(seen, seen & ~kWoken, std::memory_order_relaxed)) {
            continue;
          }
          seen &= ~kWoken;
        }
        state_.wait(seen, std::memory_order_relaxed);
        seen = state_.load(std::memory_order_relaxed);
      } else if (state_.compare_exchange_weak(seen, ((seen - kWaitingWriter) & ~kWoken) | kWriter,
                                              std::memory_order_acquire)) {
        return;
      }
    }
  }

  void LockSharedSlowly() {
    std::uint32_t seen = state_.load(std::memory_order_relaxed);
    for (;;) {
      if ((seen & (kWriter | kWritersWait)) == 0) {
        MAYFLY_CHECK((seen & kReaders) != kReaders, "a latch has more readers than it can count");
        if (state_.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire)) return;
      } else if (Announce(seen, kReadersWait)) {
        state_.wait(seen, std::memory_order_relaxed);
        seen = state_.load(std::memory_order_relaxed);
      }
    }
  }

  std::atomic<std::uint32_t> state_{0};
};

}  // namespace mayfly
