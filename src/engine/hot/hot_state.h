// hot_state.h - what readers share: memory, the cold store below it, and what lies between them.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "engine/engine.h"
#include "engine/hot/cold_view.h"
#include "engine/hot/index/hot_index.h"
#include "engine/hot/limits.h"
#include "engine/hot/pending_ranges.h"

namespace mayfly::engine::hot {

// A database in memory has no views, and is resident for ever.
struct HotRows {
  explicit HotRows(const HotIndexOptions& options) : index(options) {}

  HotIndex index;
  PendingRanges ranges;
  std::unique_ptr<ColdViews> views;  // Constant after opening.

  // True while the cold store has no visible key that memory lacks. Cleared before the first
  // eviction, and then for good; set by the load after opening, once. A reader of the newest state
  // that looked for a key in memory in vain may rely on it if it was true before and after. A reader
  // of an open state needs it to have been true before the state was opened: what is loaded later is
  // not shown to older states (HotState::was_resident()).
  std::atomic<bool> is_resident{true};

  // Counts before a row leaves memory, a range delete hides one of the cold store, or is forgotten
  // because the cold store has it: what was read from the cold store before may be out of date.
  std::atomic<std::uint64_t> departures{0};

  // With the lock of a key that memory does not know: what the cold store had of it is its newest
  // version. `departures_before` was read before the view behind `through` was, or before the cold
  // store was asked. A range delete holds the locks of all keys, so it is over, and if it began
  // before departures were read it is still among the pending ones, or the view has it.
  bool IsStillRight(Role role, Bytes key, Sequence through, std::uint64_t departures_before) const {
    return !ranges.Covers(role, key, through, kSequenceMax) &&
           departures.load(std::memory_order_seq_cst) == departures_before;
  }
};

// A state of memory over a view of the cold store.
class HotState {
 public:
  explicit HotState(const HotRows& rows)
      : rows_(rows), was_resident_(rows.is_resident.load(std::memory_order_seq_cst)) {
    if (rows.views != nullptr) {
      std::tie(view_, sequence_) = rows.views->OpenState(rows.index);
    } else {
      sequence_ = rows.index.OpenState();
    }
  }
  // Keeps the rows themselves, too: a reader beside a writer replaces them.
  explicit HotState(std::shared_ptr<const HotRows> rows) : HotState(*rows) {
    kept_ = std::move(rows);
  }
  HotState(const HotState& other)
      : rows_(other.rows_),
        was_resident_(other.was_resident_),
        kept_(other.kept_),
        view_(other.view_),
        sequence_(other.sequence_) {
    rows_.index.OpenStateAgain(sequence_);
  }
  HotState& operator=(const HotState&) = delete;
  ~HotState() {
    if (!owner_.IsThis()) {
      Abandon(std::move(kept_));
      return;
    }
    rows_.index.CloseState(sequence_);
    // Versions that only this state needed; a constant index would keep them.
    const_cast<HotIndex&>(rows_.index).Reclaim(kReclaimAfterState);
  }

  Sequence sequence() const { return sequence_; }
  const ColdView* view() const { return view_.get(); }
  const HotRows& rows() const { return rows_; }

  // As Engine::Get(), of this state.
  Status Get(Address at, Bytes key, PinnedBytes& value) const;

  // Everything was resident when the state was opened. If it still is, memory has all of the state.
  bool was_resident() const { return was_resident_; }

 private:
  const OwnerProcess owner_;
  const HotRows& rows_;
  const bool was_resident_;               // Read before the state is opened.
  std::shared_ptr<const HotRows> kept_;   // Null: the engine keeps them. Before the view.
  std::shared_ptr<const ColdView> view_;  // Shared with ColdViews and other states. May be null.
  Sequence sequence_ = 0;
};

class HotSnapshot final : public Snapshot {
 public:
  HotSnapshot(const HotRows& rows, std::atomic<std::uint64_t>& open_snapshots)
      : ticket_(open_snapshots), state_(rows) {}
  HotSnapshot(std::shared_ptr<const HotRows> rows, std::atomic<std::uint64_t>& open_snapshots)
      : ticket_(open_snapshots), state_(std::move(rows)) {}

  const HotState& state() const { return state_; }

 private:
  const HandleTicket ticket_;  // First, so that it is destroyed last.
  const HotState state_;
};

}  // namespace mayfly::engine::hot
