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
  // eviction, and set again only at the end of a load. A reader that looked for a key in memory in
  // vain may rely on it if it was true before and after.
  std::atomic<bool> is_resident{true};

  // Counts before a row leaves memory, or a range delete hides one of the cold store: what was read
  // from the cold store before may be out of date.
  std::atomic<std::uint64_t> departures{0};
};

// A value that was copied from memory; its room is used again by the next read.
struct CopiedValue {
  std::string bytes;
};

// A state of memory over a view of the cold store.
class HotState {
 public:
  explicit HotState(const HotRows& rows) : rows_(rows) {
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
      : rows_(other.rows_), kept_(other.kept_), view_(other.view_), sequence_(other.sequence_) {
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

 private:
  const OwnerProcess owner_;
  const HotRows& rows_;
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
