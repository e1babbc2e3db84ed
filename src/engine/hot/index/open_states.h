// open_states.h - which commits are visible, and which states are open.
// Commits become visible in the order of their sequences. A state is the sequence of the last
// commit it shows. Writers keep a version only if a state that needs it is open, so opening a state
// goes: announce it, wait for the commits that may not have seen the announcement, take `visible`.
// Threads: every call from any thread. Writers and readers of the newest state take no lock;
// opening and closing states takes one mutex. A thread that is in a commit must not open a state.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <limits>
#include <mutex>
#include <set>

#include "engine/hot/index/row.h"

namespace mayfly::engine::hot {

class OpenStates {
 public:
  static constexpr Sequence kEvery = std::numeric_limits<Sequence>::max();

  Sequence visible() const { return visible_.load(std::memory_order_acquire); }

  // For recovery: everything up to `sequence` is visible. No commit may be under way.
  void StartAt(Sequence sequence) { visible_.store(sequence, std::memory_order_release); }

  // A commit begins to change rows. Returns the ticket for Publish().
  std::size_t Enter();

  // Makes `sequence` visible once every earlier one is, and ends the commit.
  void Publish(Sequence sequence, std::size_t ticket);

  // A commit that has changed nothing and never will.
  void Leave(std::size_t ticket);

  // Waits until `sequence` is visible.
  void AwaitVisible(Sequence sequence) const;

  // After Enter(): versions before this one may be needed by an open state. 0: none is open.
  Sequence needed_below() const { return needed_below_.load(std::memory_order_seq_cst); }

  // No state needs versions that were replaced at this sequence or before.
  Sequence horizon() const;

  // Opens the present state, or a state that is open already once more.
  Sequence Open();
  void OpenAgain(Sequence state);
  void Close(Sequence state);

  std::size_t open_count() const;

 private:
  // Commits between apply and visibility: far more than there are threads.
  static constexpr std::size_t kUnpublishedMax = 1024;

  void Refresh();  // With mutex_.

  // Commits under way, by the parity of the phase in which they began. Threads count in places of
  // their own as far as there are enough.
  struct alignas(64) UnderWay {
    std::array<std::atomic<std::size_t>, 2> count{};
  };
  static constexpr std::size_t kPlaces = 16;
  static std::size_t PlaceOfThread();
  std::atomic<std::size_t>& CountOf(std::size_t ticket) {
    return under_way_[ticket / 2].count[ticket % 2];
  }

  alignas(64) std::atomic<Sequence> visible_{0};
  alignas(64) std::array<std::atomic<Sequence>, kUnpublishedMax> done_{};  // By sequence.
  std::array<UnderWay, kPlaces> under_way_{};

  // Seldom changed.
  alignas(64) std::atomic<std::size_t> phase_{0};
  std::atomic<Sequence> needed_below_{0};
  std::atomic<Sequence> oldest_{kEvery};
  mutable std::mutex mutex_;
  std::multiset<Sequence> states_;
};

}  // namespace mayfly::engine::hot
