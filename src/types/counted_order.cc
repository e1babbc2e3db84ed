#include "types/counted_order.h"

#include <algorithm>

#include "base/check.h"
#include "core/layout/keys.h"

namespace mayfly::types {
namespace {

// The shortest bytes that lie after `left` and not after `right`.
std::string Between(Bytes left, Bytes right) {
  const auto differ = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  return std::string(right.substr(0, static_cast<std::size_t>(differ.second - right.begin()) + 1));
}

std::uint64_t CountOf(std::span<const OrderChild> children) {
  std::uint64_t count = 0;
  for (const OrderChild& child : children) count += child.node.count;
  return count;
}

bool IsTooLarge(std::span<const OrderChild> children) {
  if (children.size() > kChildrenMax) return true;
  std::size_t bytes = 0;
  for (const OrderChild& child : children) bytes += child.low.size();
  return bytes > kNodeBytesMax && children.size() > kLongChildrenMin;
}

// In the middle; or before the last one when the item is in it, so that insertion in order leaves
// full nodes.
std::size_t SplitAt(std::size_t size, Bytes last, Bytes item) {
  return last <= item ? size - 1 : size / 2;
}

// The key of an item's row, without an allocation if it is short.
core::RowKey RowOf(std::uint64_t space, Bytes item) { return {OrderNodeKey(space), {}, item}; }

std::uint64_t RemovedMax(const OrderNode& leaf) {
  return std::clamp(kRemovedPerRow * leaf.rows, kLeafRemovedMin, kLeafRemovedMax);
}

}  // namespace

// Sets `below` to the child whose range has the item. False when the item lies before all of them.
Result<bool> CountedOrder::Below(const Step& step, Bytes item, Step& below) const {
  if (step.node.rows == 0) return false;
  core::FoundMember found;
  MAYFLY_TRY(const OrderIndex index, nodes_.Index(step.node.space, found));
  const std::size_t up_to = index.CountUpTo(item);
  if (up_to == 0) return false;
  below.place = up_to - 1;
  MAYFLY_TRY(below.group, nodes_.StoredGroup(step.node.space, below.place / kGroupChildren));
  MAYFLY_TRY(const GroupChild child, ChildInGroup(below.group, below.place % kGroupChildren));
  below.group_begin = child.begin;
  below.node = child.node;
  below.node.space = index.space(below.place);
  below.low = index.low(below.place);
  if (up_to < index.size()) {
    below.end = index.low(up_to);
  } else {
    below.end = step.end;
  }
  return true;
}

Result<std::unique_ptr<core::MemberCursor>> CountedOrder::Over(const Step& leaf) const {
  const std::uint64_t space = leaf.node.space;
  const std::string first = OrderRowKey(space, leaf.low);
  const std::string last = leaf.end ? OrderRowKey(space, *leaf.end) : OrderSpaceEnd(space);
  return space_->NewMemberCursor(key_, core::Part::kSides, {.begin = first, .end = last});
}

Result<CountedOrder::Rows> CountedOrder::RowsOf(const Step& leaf) const {
  Rows rows;
  MAYFLY_TRY(const auto cursor, Over(leaf));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    rows.emplace_back(ItemOfOrderRow(cursor->member()), cursor->value());
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  if (rows.size() != leaf.node.rows) return UncountedOrder();
  return rows;
}

// False when the path ends above the leaves: the item lies before all others.
Result<bool> CountedOrder::Descend(Bytes item) {
  if (!path_.empty()) {
    const Step& leaf = path_.back();
    if (item >= leaf.low && (!leaf.end || item < *leaf.end)) return true;
  }
  path_.clear();
  path_.push_back({root_.node});
  while (path_.size() <= root_.levels) {
    Step& below = path_.emplace_back();
    const auto found = Below(path_[path_.size() - 2], item, below);
    if (found.has_value() && *found) continue;
    path_.pop_back();
    return found;
  }
  return true;
}

Status CountedOrder::WriteUp() {
  for (std::size_t i = path_.size() - 1; i > 0; --i) {
    Step& step = path_[i];
    MAYFLY_RETURN_IF_ERROR(ReplaceInGroup(step.group, step.group_begin, step.node));
    MAYFLY_RETURN_IF_ERROR(
        nodes_.PutGroup(path_[i - 1].node.space, step.place / kGroupChildren, step.group));
  }
  root_.node = path_.front().node;
  return {};
}

// Extends the path to a new leaf, before all children of its last node.
Status CountedOrder::Fill() {
  while (path_.size() <= root_.levels) {
    Step& parent = path_.back();
    MAYFLY_TRY(Children children, nodes_.Children(parent.node));
    std::optional<std::string> end = parent.end;
    if (!children.empty()) end = children.front().low;
    const OrderNode fresh{.space = NewSpace()};
    children.insert(children.begin(), {parent.low, fresh});
    MAYFLY_RETURN_IF_ERROR(nodes_.PutChildren(parent.node.space, parent.node.rows, children));
    parent.node.rows = children.size();
    MAYFLY_TRY(auto group, nodes_.StoredGroup(parent.node.space, 0));
    path_.push_back({fresh, parent.low, std::move(end), 0, std::move(group)});
  }
  return {};
}

Status CountedOrder::Insert(Bytes item, Bytes value) {
  MAYFLY_TRY(const std::uint64_t weight, WeightOf(value));
  MAYFLY_TRY(const bool reached, Descend(item));
  if (!reached) MAYFLY_RETURN_IF_ERROR(Fill());
  Step& leaf = path_.back();
  MAYFLY_RETURN_IF_ERROR(space_->PutSide(key_, RowOf(leaf.node.space, item), value));
  ++leaf.node.rows;
  for (Step& step : path_) step.node.count += weight;
  MAYFLY_RETURN_IF_ERROR(WriteUp());
  return leaf.node.rows > kLeafRowsMax ? SplitLeaf(item) : Status();
}

Status CountedOrder::SplitLeaf(Bytes item) {
  const Step& leaf = path_.back();
  MAYFLY_TRY(const Rows rows, RowsOf(leaf));
  const std::size_t kept = SplitAt(rows.size(), rows.back().first, item);
  OrderChild left{leaf.low, leaf.node};
  OrderChild right{Between(rows[kept - 1].first, rows[kept].first), leaf.node};
  left.node.rows = kept;
  left.node.count = 0;
  for (std::size_t i = 0; i < kept; ++i) {
    MAYFLY_TRY(const std::uint64_t weight, WeightOf(rows[i].second));
    left.node.count += weight;
  }
  right.node.rows -= left.node.rows;
  right.node.count -= left.node.count;
  return AddChild(path_.size() - 1, std::move(left), std::move(right), item);
}

// Replaces the node of the path at this depth by its two halves. Nodes above it may split, too.
Status CountedOrder::AddChild(std::size_t depth, OrderChild left, OrderChild right, Bytes item) {
  if (depth == 0) return Raise(std::move(left), std::move(right));
  Step& parent = path_[depth - 1];
  const std::size_t place = path_[depth].place;
  MAYFLY_TRY(Children children, nodes_.Children(parent.node));
  if (children.size() <= place) return UncountedOrder();
  const std::size_t before = children.size();
  children[place] = std::move(left);
  children.insert(children.begin() + static_cast<std::ptrdiff_t>(place) + 1, std::move(right));
  if (!IsTooLarge(children)) {
    parent.node.rows = children.size();
    MAYFLY_RETURN_IF_ERROR(nodes_.PutChildren(parent.node.space, before, children));
    path_.resize(depth);
    MAYFLY_RETURN_IF_ERROR(WriteUp());
    path_.clear();
    return {};
  }
  const std::size_t kept = SplitAt(children.size(), children.back().low, item);
  const auto first = std::span(children).first(kept);
  const auto second = std::span(children).subspan(kept);
  OrderChild upper_left{parent.low, parent.node};
  upper_left.node.rows = first.size();
  upper_left.node.count = CountOf(first);
  OrderChild upper_right{second.front().low, {.space = NewSpace()}};
  upper_right.node.rows = second.size();
  upper_right.node.count = CountOf(second);
  MAYFLY_RETURN_IF_ERROR(nodes_.PutChildren(upper_left.node.space, before, first));
  MAYFLY_RETURN_IF_ERROR(nodes_.PutChildren(upper_right.node.space, 0, second));
  return AddChild(depth - 1, std::move(upper_left), std::move(upper_right), item);
}

// Adds a new root above the old one.
Status CountedOrder::Raise(OrderChild left, OrderChild right) {
  const OrderChild children[] = {std::move(left), std::move(right)};
  root_.node = {.space = NewSpace(), .count = CountOf(children), .rows = std::size(children)};
  ++root_.levels;
  path_.clear();
  return nodes_.PutChildren(root_.node.space, 0, children);
}

Status CountedOrder::Replace(Bytes item, std::uint64_t weight, Bytes value) {
  MAYFLY_TRY(const std::uint64_t fresh, WeightOf(value));
  MAYFLY_TRY(const bool reached, Descend(item));
  if (!reached || path_.back().node.count < weight) return UncountedOrder();
  for (Step& step : path_) step.node.count += fresh - weight;
  MAYFLY_RETURN_IF_ERROR(space_->PutSide(key_, RowOf(path_.back().node.space, item), value));
  return WriteUp();
}

Status CountedOrder::Remove(Bytes item, std::uint64_t weight) {
  MAYFLY_TRY(const bool reached, Descend(item));
  if (!reached) return UncountedOrder();
  Step& leaf = path_.back();
  if (leaf.node.rows == 0 || leaf.node.count < weight) return UncountedOrder();
  MAYFLY_RETURN_IF_ERROR(space_->RemoveSide(key_, RowOf(leaf.node.space, item)));
  --leaf.node.rows;
  ++leaf.node.removed;
  for (Step& step : path_) step.node.count -= weight;
  if (leaf.node.rows > 0 && leaf.node.removed > RemovedMax(leaf.node)) {
    MAYFLY_TRY(const Rows rows, RowsOf(leaf));
    MAYFLY_RETURN_IF_ERROR(Renew(leaf, rows));
    MAYFLY_RETURN_IF_ERROR(WriteUp());
    return path_.size() > 1 ? Join() : Status();
  }
  MAYFLY_RETURN_IF_ERROR(WriteUp());
  if (leaf.node.rows == 0) return LeaveEmpty();
  return leaf.node.rows == kLeafRowsFew && path_.size() > 1 ? Join() : Status();
}

// Moves the items to a fresh space.
Status CountedOrder::Renew(Step& leaf, const Rows& rows) {
  const std::uint64_t fresh = NewSpace();
  for (const auto& [item, value] : rows) {
    MAYFLY_RETURN_IF_ERROR(space_->RemoveSide(key_, RowOf(leaf.node.space, item)));
    MAYFLY_RETURN_IF_ERROR(space_->PutSide(key_, RowOf(fresh, item), value));
  }
  leaf.node.space = fresh;
  leaf.node.removed = 0;
  return {};
}

// An empty leaf stays, in a fresh space, after a neighbour that is not empty; else it is removed,
// and its parent with it if that has no other child.
Status CountedOrder::LeaveEmpty() {
  while (path_.size() > 1) {
    const std::size_t place = path_.back().place;
    path_.pop_back();
    Step& parent = path_.back();
    MAYFLY_TRY(Children children, nodes_.Children(parent.node));
    if (children.size() <= place) return UncountedOrder();
    const std::size_t before = children.size();
    const auto at = children.begin() + static_cast<std::ptrdiff_t>(place);
    const bool goes = place == 0 || std::prev(at)->node.rows == 0;
    at->node = {.space = NewSpace()};
    // An empty one after it would be the second of two, or the first of all.
    if (std::next(at) != children.end() && std::next(at)->node.rows == 0) {
      children.erase(std::next(at));
    }
    if (goes) children.erase(at);
    MAYFLY_RETURN_IF_ERROR(nodes_.PutChildren(parent.node.space, before, children));
    parent.node.rows = children.size();
    if (!children.empty()) break;
  }
  if (path_.back().node.rows == 0) path_.back().node = {.space = NewSpace()};
  MAYFLY_RETURN_IF_ERROR(WriteUp());
  path_.clear();
  return Lower();
}

// Joins the leaf with a neighbour if they are small enough together.
Status CountedOrder::Join() {
  const Step leaf = path_.back();
  Step& parent = path_[path_.size() - 2];
  MAYFLY_TRY(Children children, nodes_.Children(parent.node));
  if (children.size() <= leaf.place) return UncountedOrder();
  children[leaf.place].node = leaf.node;
  const auto fits = [&](std::size_t left) {
    if (left + 1 >= children.size()) return false;
    const std::uint64_t rows[] = {children[left].node.rows, children[left + 1].node.rows};
    return rows[0] > 0 && rows[1] > 0 && rows[0] + rows[1] <= kLeafRowsMax / 2;
  };
  const bool with_left = leaf.place > 0 && fits(leaf.place - 1);
  const std::size_t left = with_left ? leaf.place - 1 : leaf.place;
  if (!fits(left)) {
    MAYFLY_RETURN_IF_ERROR(nodes_.PutChildren(parent.node.space, children.size(), children));
    path_.clear();
    return {};
  }
  Step one{children[left].node, children[left].low, children[left + 1].low};
  Step other{children[left + 1].node, children[left + 1].low, parent.end};
  if (left + 2 < children.size()) other.end = children[left + 2].low;
  MAYFLY_TRY(const Rows rows, RowsOf(one));
  MAYFLY_TRY(const Rows more, RowsOf(other));
  MAYFLY_RETURN_IF_ERROR(Renew(one, rows));
  for (const auto& [item, value] : more) {
    MAYFLY_RETURN_IF_ERROR(space_->RemoveSide(key_, RowOf(other.node.space, item)));
    MAYFLY_RETURN_IF_ERROR(space_->PutSide(key_, RowOf(one.node.space, item), value));
  }
  one.node.rows += other.node.rows;
  one.node.count += other.node.count;
  children[left].node = one.node;
  children.erase(children.begin() + static_cast<std::ptrdiff_t>(left) + 1);
  MAYFLY_RETURN_IF_ERROR(nodes_.PutChildren(parent.node.space, parent.node.rows, children));
  parent.node.rows = children.size();
  path_.pop_back();
  MAYFLY_RETURN_IF_ERROR(WriteUp());
  path_.clear();
  return Lower();
}

// Replaces a root that has a single child by that child; a leaf has to be small for that, since it
// moves.
Status CountedOrder::Lower() {
  while (root_.levels > 0 && root_.node.rows <= 2) {
    MAYFLY_TRY(const Children children, nodes_.Children(root_.node));
    const OrderChild* only = nullptr;
    for (const OrderChild& child : children) {
      if (child.node.rows == 0) continue;
      if (only != nullptr) return {};
      only = &child;
    }
    Step fresh{only != nullptr ? only->node : OrderNode{.space = NewSpace()}};
    if (only != nullptr && root_.levels == 1) {
      if (only->node.rows > kLeafRowsMax / 2) return {};
      fresh.low = only->low;
      MAYFLY_TRY(const Rows rows, RowsOf(fresh));
      MAYFLY_RETURN_IF_ERROR(Renew(fresh, rows));
    }
    MAYFLY_RETURN_IF_ERROR(nodes_.PutChildren(root_.node.space, root_.node.rows, {}));
    root_.levels = only != nullptr ? root_.levels - 1 : 0;
    root_.node = fresh.node;
  }
  return {};
}

Result<CountedOrder::KeyState> CountedOrder::Locate(Bytes item) const {
  KeyState found;
  Step at{root_.node};
  Step below;
  for (std::uint64_t level = root_.levels; level > 0; --level) {
    MAYFLY_TRY(const bool has_child, Below(at, item, below));
    if (!has_child) return found;
    for (std::size_t group = 0; group < below.place / kGroupChildren; ++group) {
      MAYFLY_TRY(const auto nodes, nodes_.Group(at.node.space, group));
      for (const OrderNode& node : nodes) found.before += node.count;
    }
    MAYFLY_TRY(const auto nodes, OrderGroupOf(below.group));
    for (std::size_t i = 0; i < below.place % kGroupChildren; ++i) found.before += nodes[i].count;
    std::swap(at, below);
  }
  MAYFLY_TRY(const auto cursor, Over(at));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const Bytes met = ItemOfOrderRow(cursor->member());
    found.exists = met == item;
    if (met >= item) break;
    MAYFLY_TRY(const std::uint64_t weight, WeightOf(cursor->value()));
    found.before += weight;
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return found;
}

Result<CountedOrder::Place> CountedOrder::At(std::uint64_t position) const {
  MAYFLY_CHECK(position < root_.node.count, "a position within the order");
  std::uint64_t before = 0;
  Step at{root_.node};
  for (std::uint64_t level = root_.levels; level > 0; --level) {
    std::size_t place = 0;
    OrderNode child;
    for (bool found = false; !found;) {
      MAYFLY_TRY(const auto group, nodes_.Group(at.node.space, place / kGroupChildren));
      for (const OrderNode& node : group) {
        child = node;
        found = position < before + node.count;
        if (found) break;
        before += node.count;
        ++place;
      }
      if (!found && group.size() < kGroupChildren) return UncountedOrder();
    }
    core::FoundMember stored;
    MAYFLY_TRY(const OrderIndex index, nodes_.Index(at.node.space, stored));
    if (place >= index.size()) return UncountedOrder();
    child.space = index.space(place);
    std::optional<std::string> end = at.end;
    if (place + 1 < index.size()) end = std::string(index.low(place + 1));
    at = {child, std::string(index.low(place)), std::move(end)};
  }
  MAYFLY_TRY(const auto cursor, Over(at));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    MAYFLY_TRY(const std::uint64_t weight, WeightOf(cursor->value()));
    if (position < before + weight) {
      return Place{std::string(ItemOfOrderRow(cursor->member())), std::string(cursor->value()),
                   before};
    }
    before += weight;
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return UncountedOrder();
}

}  // namespace mayfly::types
