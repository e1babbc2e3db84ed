#include "types/order_cursor.h"

#include <utility>

namespace mayfly::types {

void OrderCursor::Next() {
  up_ ? leaf_->Next() : leaf_->Prev();
  if (leaf_->Valid()) return;
  const Status met = leaf_->status();
  SetPosition(met.ok() ? GoOn() : met);
}

void OrderCursor::SetPosition(Result<bool> found) {
  status_ = found ? Status() : found.error();
  valid_ = found && *found;
}

Result<bool> OrderCursor::Begin(std::optional<Bytes> item) {
  levels_.clear();
  if (root_.node.rows == 0) return false;
  return Down({.space = root_.node.space}, item);
}

Result<OrderCursor::Stretch> OrderCursor::ChildOf(const Level& level) {
  MAYFLY_TRY(const OrderIndex index, OrderIndex::Of(level.bytes));
  const std::size_t next = level.place + 1;
  return Stretch{index.space(level.place), std::string(index.low(level.place)),
                 next < index.size() ? std::optional(std::string(index.low(next))) : level.end};
}

// Moves to the first item below this node, at `item` or beyond if one is given; if there is none,
// to the next item after it. False at the end.
Result<bool> OrderCursor::Down(Stretch at, std::optional<Bytes> item) {
  while (levels_.size() < root_.levels) {
    core::FoundMember found;
    const Result<OrderIndex> index = nodes_.Index(at.space, found);
    if (!index) {
      MAYFLY_TRY(const bool passed, IsEmpty());
      return passed ? GoOn() : index.error();
    }
    std::size_t place = up_ ? 0 : index->size() - 1;
    if (item) {
      const std::size_t up_to = index->CountUpTo(*item);
      if (up_to == 0 && !up_) return GoOn();
      place = up_to == 0 ? 0 : up_to - 1;
    }
    levels_.push_back({at.space, std::string(found.value), std::move(at.end), place});
    MAYFLY_TRY(at, ChildOf(levels_.back()));
  }
  const std::string first = OrderRowKey(at.space, at.low);
  const std::string last = at.end ? OrderRowKey(at.space, *at.end) : OrderSpaceEnd(at.space);
  MAYFLY_TRY(leaf_,
             space_.NewMemberCursor(key_, core::Part::kSides, {.begin = first, .end = last}));
  if (item) {
    const std::string row = OrderRowKey(at.space, *item);
    up_ ? leaf_->SeekAtOrAfter(row) : leaf_->SeekAtOrBefore(row);
  } else {
    up_ ? leaf_->SeekToFirst() : leaf_->SeekToLast();
  }
  MAYFLY_RETURN_IF_ERROR(leaf_->status());
  return leaf_->Valid() ? Result<bool>(true) : GoOn();
}

// Whether the node reached has no children, and therefore no index: its parent knows.
Result<bool> OrderCursor::IsEmpty() const {
  if (levels_.empty()) return false;
  const Level& parent = levels_.back();
  MAYFLY_TRY(const auto group, nodes_.Group(parent.space, parent.place / kGroupChildren));
  const std::size_t place = parent.place % kGroupChildren;
  return place < group.size() && group[place].rows == 0;
}

// Moves to the next leaf that has an item.
Result<bool> OrderCursor::GoOn() {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    MAYFLY_TRY(const OrderIndex index, OrderIndex::Of(level.bytes));
    if (level.place == (up_ ? index.size() - 1 : 0)) {
      levels_.pop_back();
      continue;
    }
    up_ ? ++level.place : --level.place;
    MAYFLY_TRY(Stretch child, ChildOf(level));
    return Down(std::move(child), std::nullopt);
  }
  return false;
}

}  // namespace mayfly::types
