#include "engine/hot/index/row_tree.h"

#include "base/check.h"
#include "engine/hot/index/row.h"
#include "engine/hot/index/words.h"

namespace mayfly::engine::hot {
namespace {

// Below this a leaf looks for a sibling to merge with, every kMergeTryStep removals.
constexpr std::size_t kLeafEntriesMin = 32;
constexpr std::size_t kMergeTryStep = 8;

// The first of [from, to) for which `is_before` is false.
template <typename IsBefore>
std::size_t FirstNot(std::size_t from, std::size_t to, const IsBefore& is_before) {
  std::size_t size = to - from;
  while (size > 0) {
    const std::size_t half = size / 2;
    if (is_before(from + half)) {
      from += half + 1;
      size -= half + 1;
    } else {
      size = half;
    }
  }
  return from;
}

}  // namespace

RowTree::RowTree(SlabArena& arena, NodePool& nodes, std::uint32_t number)
    : arena_(arena), nodes_(nodes), number_(number), root_(nodes.Allocate()) {
  const NodeId root = root_.load(std::memory_order_relaxed);
  MAYFLY_CHECK(root != 0, "the memory index got no memory");
  nodes_.At(root).Reset(number_, 0, 0, 0, 0);
  nodes_.At(root).Unlock();
}

inline RowTree::Stored RowTree::KeyOf(Handle handle, bool of_row) const {
  if (!of_row) return SeparatorAt(handle);
  const RowBlock& row = RowAt(arena_, handle);
  return {.bytes = row.key(), .size = row.key_bytes()};
}

RowTree::Stored RowTree::KeyAt(const TreeNode& node, std::size_t i) const {
  return KeyOf(node.handle(i), node.is_leaf());
}

int RowTree::CompareToPrefix(const TreeNode& node, std::uint32_t seen, Bytes key) const {
  const Handle first = node.handle(0);
  const std::size_t prefix = node.prefix();
  if (!node.IsVersion(seen)) return 0;  // The handle may be anything.
  const Stored stored = SeparatorAt(first);
  return -CompareWords(stored.bytes, std::min(stored.size, prefix), key.substr(0, prefix));
}

RowTree::Place RowTree::Search(const TreeNode& node, std::uint32_t seen, Bytes key) const {
  const std::size_t count = node.count();
  if (node.has_own_prefix()) {
    const int order = CompareToPrefix(node, seen, key);
    if (order != 0) return {.index = order < 0 ? 0 : count, .equal = false};
  }
  const std::uint32_t head = HeadOf(key, node.prefix());
  const std::size_t first = node.FirstWithHeadFrom(head, 0, count);
  if (first == count || node.head(first) != head) return {.index = first, .equal = false};
  bool equal = false;
  // All keys of the node share its prefix with this one.
  const std::size_t shared = std::min(node.prefix(), key.size()) / sizeof(Word) * sizeof(Word);
  const Bytes rest = key.substr(shared);
  const bool is_leaf = node.is_leaf();
  const auto is_before = [&](std::size_t i) {
    const Handle handle = node.handle(i);
    if (!node.IsVersion(seen)) return false;  // The handle may be anything.
    const Stored stored = KeyOf(handle, is_leaf);
    if (!node.IsVersion(seen) || stored.size < shared) return false;
    const int order = CompareWords(stored.bytes + shared, stored.size - shared, rest);
    if (order == 0) equal = true;
    return order < 0;
  };
  if (first + 1 == count || node.head(first + 1) != head) {
    const std::size_t index = first + (is_before(first) ? 1 : 0);
    return {.index = index, .equal = equal};
  }
  // At the end of a range that grows, such as deadlines, all heads are equal and the key is behind
  // all of them.
  std::size_t end = count;
  if (node.head(count - 1) == head) {
    if (is_before(count - 1)) return {.index = count, .equal = false};
    if (equal) return {.index = count - 1, .equal = true};
    --end;
  } else {
    end = node.FirstWithHeadFrom(head + 1, first, count);  // There is a higher one.
  }
  const std::size_t index = FirstNot(first, end, is_before);
  return {.index = index, .equal = equal};
}

RowTree::Place RowTree::EntryOf(const TreeNode& leaf, Bytes key, Handle row) const {
  const std::size_t count = leaf.count();
  const std::uint32_t head = HeadOf(key, leaf.prefix());
  std::size_t i = leaf.FirstWithHeadFrom(head, 0, count);
  for (; i < count && leaf.head(i) == head; ++i) {
    if (leaf.handle(i) == row) return {.index = i, .equal = true};
  }
  return {.index = i, .equal = false};
}

bool RowTree::TryDescend(Bytes key, bool before, Handle row, Position& at) const {
  const NodeId root = root_.load(std::memory_order_acquire);
  const TreeNode* node = &nodes_.At(root);
  std::uint32_t seen = node->StableVersion();
  if (root_.load(std::memory_order_acquire) != root) return false;
  for (;;) {
    const bool to_the_end = before && key.empty();
    const std::size_t count = node->count();
    const bool by_row = row != 0 && node->is_leaf();
    const Place place = to_the_end ? Place{.index = count, .equal = false}
                        : by_row   ? EntryOf(*node, key, row)
                                   : Search(*node, seen, key);
    if (node->is_leaf()) {
      at = {.leaf = node, .seen = seen, .index = place.index, .count = count, .equal = place.equal};
      return node->IsVersion(seen);
    }
    const NodeId id = node->child(place.index + (place.equal && !before ? 1 : 0));
    if (!node->IsVersion(seen)) return false;
    const TreeNode* child = &nodes_.At(id);
    if (node->level() == 1) child->Prefetch();  // Nodes above the leaves are few and in the cache.
    const std::uint32_t child_seen = child->StableVersion();
    // Still the parent of that child when the child had this version.
    if (!node->IsVersion(seen)) return false;
    node = child;
    seen = child_seen;
  }
}

RowTree::Position RowTree::Descend(Bytes key, bool before) const {
  Position at;
  for (Backoff backoff; !TryDescend(key, before, 0, at);) backoff.Wait();
  return at;
}

bool RowTree::CopyBound(const Position& at, Handle separator, std::string& bound) const {
  if (!at.IsCurrent()) return false;
  if (separator == 0) {
    bound.clear();
    return true;
  }
  const Stored stored = SeparatorAt(separator);
  bound.resize(stored.size);
  CopyOut(stored.bytes, bound.data(), stored.size);
  return at.IsCurrent();
}

bool RowTree::HighOf(const Position& at, std::string& bound) const {
  return CopyBound(at, at.leaf->high(), bound);
}

bool RowTree::LowOf(const Position& at, std::string& bound) const {
  return CopyBound(at, at.leaf->low(), bound);
}

TreeNode& RowTree::LockLeafOf(Bytes key, Handle row, Position& at) const {
  for (Backoff backoff;; backoff.Wait()) {
    if (!TryDescend(key, false, row, at)) continue;
    auto& leaf = const_cast<TreeNode&>(*at.leaf);
    if (leaf.TryLock(at.seen)) return leaf;
  }
}

// The key is behind all rows of the leaf, and before its upper bound. So it is behind the lower one.
bool RowTree::IsBehind(const TreeNode& leaf, std::uint32_t seen, std::size_t count,
                       Bytes key) const {
  const Handle last = leaf.handle(count - 1);
  const Handle high = leaf.high();
  if (!leaf.IsVersion(seen)) return false;  // The handles may be anything.
  if (CompareRow(arena_, last, key) >= 0) return false;
  if (high == 0) return true;
  const Stored bound = SeparatorAt(high);
  return CompareWords(bound.bytes, bound.size, key) > 0;
}

TreeNode* RowTree::LockGrowingLeaf(Bytes key, Position& at) const {
  const NodeId id = growing_.load(std::memory_order_relaxed);
  if (id == 0) return nullptr;
  TreeNode& leaf = nodes_.At(id);
  const std::uint32_t seen = leaf.version();
  if ((seen & 1) || leaf.tree() != number_ || !leaf.is_leaf()) return nullptr;
  const std::size_t count = leaf.count();
  if (count == 0 || count == TreeNode::kLeafEntriesMax) return nullptr;
  if (!IsBehind(leaf, seen, count, key) || !leaf.TryLock(seen)) return nullptr;
  at = {.leaf = &leaf, .seen = seen, .index = count, .count = count, .equal = false};
  return &leaf;
}

// With the lock of the leaf. Where keys come in no order, nothing is noted, nor looked at.
void RowTree::NoteInsert(const TreeNode& leaf, const Position& at) {
  const NodeId id = at.index == at.count ? nodes_.IdOf(leaf) : 0;
  if (growing_.load(std::memory_order_relaxed) != id) {
    growing_.store(id, std::memory_order_relaxed);
  }
}

bool RowTree::Insert(Bytes key, Handle row) {
  for (;;) {
    Position at;
    TreeNode* const growing = LockGrowingLeaf(key, at);
    TreeNode& leaf = growing != nullptr ? *growing : LockLeafOf(key, 0, at);
    if (at.count < TreeNode::kLeafEntriesMax) {
      leaf.InsertEntry(at.index, HeadOf(key, leaf.prefix()), row, 0);
      NoteInsert(leaf, at);
      leaf.Unlock();
      return true;
    }
    leaf.Unlock();
    const std::lock_guard lock(structure_mutex_);
    if (!SplitFor(key)) return false;
  }
}

void RowTree::Remove(Bytes key, Handle row) {
  Position at;
  TreeNode& leaf = LockLeafOf(key, row, at);
  MAYFLY_CHECK(at.equal, "a row is not in its leaf");
  leaf.RemoveEntry(at.index);
  const std::size_t left = at.count - 1;
  leaf.Unlock();
  if (left >= kLeafEntriesMin || left % kMergeTryStep != 0) return;
  const std::lock_guard lock(structure_mutex_);
  MergeAround(key);
}

void RowTree::Replace(Bytes key, Handle row, Handle by) {
  Position at;
  TreeNode& leaf = LockLeafOf(key, row, at);
  MAYFLY_CHECK(at.equal, "a row is not in its leaf");
  leaf.SetEntry(at.index, leaf.head(at.index), by);
  leaf.Unlock();
}

}  // namespace mayfly::engine::hot
