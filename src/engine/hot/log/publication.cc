#include "engine/hot/log/publication.h"

namespace mayfly::engine::hot {
namespace {

// A copy takes less time than these looks. Afterwards the thread that is waited for has lost its
// core, and gets it back sooner from a sleeper.
constexpr int kPublishLooksMax = 200;

}  // namespace

Publication::Publication(std::atomic<std::uint64_t>& published) : published_(published) {
  for (auto& last : done_) last.store(0, std::memory_order_relaxed);
}

// Atomics without an order named are sequentially consistent here: of two threads that each write
// their own word and read the other's, at least one sees what the other wrote.
void Publication::Complete(std::uint64_t first, std::uint64_t last, bool waits) {
  // The place in the ring may belong to a record that is not published yet.
  if (first > kRing) Await(first - kRing);
  done_[first % kRing].store(last);
  Advance();
  if (waits) Await(last);
}

void Publication::Advance() {
  bool has_advanced = false;
  std::uint64_t published = published_.load();
  for (;;) {
    const std::uint64_t last = done_[(published + 1) % kRing].load();
    if (last <= published) break;  // Not complete: the slot is of an earlier round.
    if (published_.compare_exchange_strong(published, last)) {
      published = last;
      has_advanced = true;
    }
  }
  if (!has_advanced || sleeping_.load() == 0) return;
  { const std::lock_guard lock(mutex_); }
  woken_.notify_all();
}

void Publication::Await(std::uint64_t sequence) {
  for (int looks = 0; looks < kPublishLooksMax; ++looks) {
    if (published_.load(std::memory_order_acquire) >= sequence) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  std::unique_lock lock(mutex_);
  ++sleeping_;
  while (published_.load() < sequence) woken_.wait(lock);
  --sleeping_;
}

}  // namespace mayfly::engine::hot
