// publication.h - makes records of many threads visible in the order of their sequences.
// A thread announces that its records are complete, and publishes them and all complete ones behind
// them, if nothing before them is missing; otherwise the thread that completes what is missing does
// it. So a thread waits only for records that are not complete, never for one that was put to sleep
// after its copy.
//   done: a ring; the place of a first sequence has the last one of the same append
// Invariant: published() grows over complete records only, in order.
// Threads: every call from any thread.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "engine/hot/log/limits.h"

namespace mayfly::engine::hot {

class Publication {
 public:
  // `published` must outlive it; nothing else writes it.
  explicit Publication(std::atomic<std::uint64_t>& published);

  // The records [first, last] are complete. With `waits` it returns when they are published.
  void Complete(std::uint64_t first, std::uint64_t last, bool waits = true);

 private:
  static constexpr std::uint64_t kRing = 2 * kGroupRecordsMax;

  void Advance();
  void Await(std::uint64_t sequence);

  std::atomic<std::uint64_t>& published_;
  std::array<std::atomic<std::uint64_t>, kRing> done_;

  alignas(64) std::atomic<int> sleeping_{0};
  std::mutex mutex_;  // For sleepers.
  std::condition_variable woken_;
};

}  // namespace mayfly::engine::hot
