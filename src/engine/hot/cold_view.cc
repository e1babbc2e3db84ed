#include "engine/hot/cold_view.h"

namespace mayfly::engine::hot {

Status ColdView::Freeze() {
  if (owned_ != nullptr) return {};
  MAYFLY_TRY(owned_, cold_.NewSnapshot());
  snapshot_.store(owned_.get(), std::memory_order_seq_cst);
  return {};
}

Status ColdView::Get(Address at, Bytes key, PinnedBytes& value) const {
  for (;;) {
    const Snapshot* const snapshot = snapshot_.load(std::memory_order_seq_cst);
    Status read = cold_.Get(at, key, value, snapshot);
    if (snapshot == snapshot_.load(std::memory_order_seq_cst)) return read;
  }
}

Result<std::unique_ptr<Cursor>> ColdView::NewCursor(Address at, const KeyRange& range,
                                                    bool fill_cache) const {
  for (;;) {
    const Snapshot* const snapshot = snapshot_.load(std::memory_order_seq_cst);
    auto cursor =
        cold_.NewCursor(at, {.range = range, .snapshot = snapshot, .fill_cache = fill_cache});
    if (snapshot == snapshot_.load(std::memory_order_seq_cst)) return cursor;
  }
}

ColdViews::ColdViews(const Engine& cold, Sequence through) : cold_(cold), through_(through) {
  views_.push_back(std::make_shared<ColdView>(cold, through));
}

std::pair<std::shared_ptr<const ColdView>, Sequence> ColdViews::OpenState(
    const HotIndex& index) const {
  const std::lock_guard lock(mutex_);
  return {views_.back(), index.OpenState()};
}

EvictionBounds ColdViews::BoundsOf(const HotIndex& index) {
  std::deque<std::shared_ptr<ColdView>> unused;
  const std::lock_guard lock(mutex_);
  return {.old_through = OldestThrough(unused),
          .newest_state = index.newest_open_state(),
          .new_through = views_.back()->through()};
}

Status ColdViews::FreezeCurrent() {
  std::shared_ptr<ColdView> current;
  {
    const std::lock_guard lock(mutex_);
    current = views_.back();
  }
  return current->Freeze();
}

void ColdViews::Advance(Sequence through) {
  const std::lock_guard lock(mutex_);
  views_.push_back(std::make_shared<ColdView>(cold_, through));
  through_.store(through, std::memory_order_release);
}

Sequence ColdViews::oldest_through() {
  std::deque<std::shared_ptr<ColdView>> unused;
  const std::lock_guard lock(mutex_);
  return OldestThrough(unused);
}

Sequence ColdViews::OldestThrough(std::deque<std::shared_ptr<ColdView>>& unused) {
  while (views_.size() > 1 && views_.front().use_count() == 1) {
    unused.push_back(std::move(views_.front()));
    views_.pop_front();
  }
  return views_.front()->through();
}

}  // namespace mayfly::engine::hot
