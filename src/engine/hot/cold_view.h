// cold_view.h - the cold store as it is between two folds.
// A snapshot or cursor of the engine is a state of the memory over a view. The view shows all
// changes up to through(), and of later ones nothing that memory does not show as well: rows leave
// memory only if every reader that would see them there has them in its view (BoundsOf()).
// A view reads the newest state of the cold store, until a fold begins: Freeze() takes a snapshot
// then. A read that raced with it is repeated.
// Threads: every call from any thread, but Freeze() and Advance() from one at a time.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/engine.h"
#include "engine/hot/index/hot_index.h"

namespace mayfly::engine::hot {

class ColdView {
 public:
  ColdView(const Engine& cold, Sequence through) : cold_(cold), through_(through) {}

  Sequence through() const { return through_; }

  // To be called before the cold store changes.
  Status Freeze();

  Status Get(Address at, Bytes key, PinnedBytes& value) const;
  Result<std::unique_ptr<Cursor>> NewCursor(Address at, const KeyRange& range,
                                            bool fill_cache) const;

 private:
  const Engine& cold_;
  const Sequence through_;
  std::unique_ptr<Snapshot> owned_;
  std::atomic<const Snapshot*> snapshot_{nullptr};
};

class ColdViews {
 public:
  ColdViews(const Engine& cold, Sequence through);

  // Opens the present state of `index` over the current view. The view is shared by snapshots and
  // cursors, which keep it alive.
  std::pair<std::shared_ptr<const ColdView>, Sequence> OpenState(const HotIndex& index) const;

  // Which rows every reader finds in the view below its state, now and later.
  EvictionBounds BoundsOf(const HotIndex& index);

  Sequence current_through() const { return through_.load(std::memory_order_acquire); }

  Status FreezeCurrent();

  // The cold store has all changes up to here.
  void Advance(Sequence through);

  // Every view in use has all changes up to here.
  Sequence oldest_through();

 private:
  // With mutex_. Views that nobody uses any more go to `unused`, to be destroyed without it.
  Sequence OldestThrough(std::deque<std::shared_ptr<ColdView>>& unused);

  const Engine& cold_;
  std::atomic<Sequence> through_;
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<ColdView>> views_;  // Oldest first; the last is the current one.
};

}  // namespace mayfly::engine::hot
