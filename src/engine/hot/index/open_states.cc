#include "engine/hot/index/open_states.h"

#include <algorithm>

#include "base/check.h"
#include "engine/hot/index/words.h"

namespace mayfly::engine::hot {

std::size_t OpenStates::PlaceOfThread() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t place = threads.fetch_add(1, std::memory_order_relaxed) % kPlaces;
  return place;
}

std::size_t OpenStates::Enter() {
  const std::size_t place = 2 * PlaceOfThread();
  for (;;) {
    const std::size_t parity = phase_.load(std::memory_order_seq_cst) & 1;
    CountOf(place + parity).fetch_add(1, std::memory_order_seq_cst);
    // Counted for a phase that is over, it would be missed by the one after the next.
    if ((phase_.load(std::memory_order_seq_cst) & 1) == parity) return place + parity;
    Leave(place + parity);
  }
}

void OpenStates::Leave(std::size_t ticket) {
  CountOf(ticket).fetch_sub(1, std::memory_order_seq_cst);
}

void OpenStates::Publish(Sequence sequence, std::size_t ticket) {
  if (sequence > kUnpublishedMax) AwaitVisible(sequence - kUnpublishedMax);
  MAYFLY_CHECK(visible() < sequence, "a sequence was published twice");
  done_[sequence % kUnpublishedMax].store(sequence, std::memory_order_seq_cst);
  // The thread that finds the next one done makes it visible: its own may have lost the CPU.
  for (Backoff backoff;;) {
    Sequence last = visible();
    if (last >= sequence) break;
    if (done_[(last + 1) % kUnpublishedMax].load(std::memory_order_seq_cst) == last + 1) {
      visible_.compare_exchange_strong(last, last + 1, std::memory_order_seq_cst);
    } else {
      backoff.Wait();
    }
  }
  Leave(ticket);
}

void OpenStates::AwaitVisible(Sequence sequence) const {
  for (Backoff backoff; visible() < sequence;) backoff.Wait();
}

Sequence OpenStates::horizon() const {
  // `visible` first: a state announced after the second load shows at least what was visible then.
  const Sequence visible = visible_.load(std::memory_order_seq_cst);
  return std::min(visible, oldest_.load(std::memory_order_seq_cst));
}

Sequence OpenStates::Open() {
  const std::lock_guard lock(mutex_);
  const Sequence now = visible_.load(std::memory_order_seq_cst);
  if (states_.contains(now)) {
    states_.insert(now);
    return now;
  }
  // Announce: from here on commits keep what they replace, and nothing from `now` on is reclaimed.
  const auto announced = states_.insert(now);
  Refresh();
  needed_below_.store(kEvery, std::memory_order_seq_cst);
  const std::size_t before = phase_.fetch_add(1, std::memory_order_seq_cst) & 1;
  for (const UnderWay& place : under_way_) {
    for (Backoff backoff; place.count[before].load(std::memory_order_seq_cst) != 0;) backoff.Wait();
  }
  const Sequence state = visible_.load(std::memory_order_seq_cst);
  states_.erase(announced);
  states_.insert(state);
  Refresh();
  return state;
}

void OpenStates::OpenAgain(Sequence state) {
  const std::lock_guard lock(mutex_);
  MAYFLY_CHECK(states_.contains(state), "a state was opened again that is not open");
  states_.insert(state);
}

void OpenStates::Close(Sequence state) {
  const std::lock_guard lock(mutex_);
  const auto open = states_.find(state);
  MAYFLY_CHECK(open != states_.end(), "a state was closed that is not open");
  states_.erase(open);
  Refresh();
}

void OpenStates::Refresh() {
  oldest_.store(states_.empty() ? kEvery : *states_.begin(), std::memory_order_seq_cst);
  needed_below_.store(states_.empty() ? 0 : *states_.rbegin() + 1, std::memory_order_seq_cst);
}

std::size_t OpenStates::open_count() const {
  const std::lock_guard lock(mutex_);
  return states_.size();
}

}  // namespace mayfly::engine::hot
