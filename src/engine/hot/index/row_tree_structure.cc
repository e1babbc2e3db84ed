// Splits and merges. All with the structure mutex, so inner nodes change here alone; a leaf is
// locked before its count is believed.
#include <algorithm>
#include <vector>

#include "base/check.h"
#include "engine/hot/index/row.h"
#include "engine/hot/index/row_tree.h"

namespace mayfly::engine::hot {
namespace {

// Siblings merge up to this share of a node, so that the next inserts do not split it again.
constexpr std::size_t MergedMax(std::size_t entries_max) { return entries_max * 4 / 5; }

// Rows that arrive in order, or in reverse, leave nodes behind that are this full.
constexpr std::size_t EdgeShare(std::size_t count) { return std::max<std::size_t>(1, count / 16); }

std::uint32_t HeadOfStored(const std::byte* bytes, std::size_t size, std::size_t prefix) {
  if (prefix >= size) return 0;
  char four[4];
  const std::size_t n = std::min<std::size_t>(size - prefix, sizeof(four));
  CopyOut(bytes + prefix, four, n);
  return HeadOf({four, n}, 0);
}

}  // namespace

std::string RowTree::CopyKey(const TreeNode& node, std::size_t i) const {
  const Stored stored = KeyAt(node, i);
  std::string key(stored.size, '\0');
  CopyOut(stored.bytes, key.data(), stored.size);
  return key;
}

// The shortest key that is behind the row before `at` and not behind the row at it.
Handle RowTree::NewSeparator(const TreeNode& leaf, std::size_t at) {
  const std::string left = CopyKey(leaf, at - 1);
  const std::string right = CopyKey(leaf, at);
  std::size_t common = 0;
  while (common < left.size() && left[common] == right[common]) ++common;
  const Bytes separator = Bytes(right).substr(0, common + 1);
  const Handle block = arena_.Allocate(sizeof(Word) + separator.size());
  if (block == 0) return 0;
  StoreWord(arena_.At(block), separator.size());
  CopyIn(arena_.At(block) + sizeof(Word), separator);
  return block;
}

void RowTree::FreeSeparator(Handle separator) {
  // Bytes of keys, which may be of rows that promise to leave none.
  Wipe(arena_.At(separator), sizeof(Word) + SeparatorAt(separator).size);
  arena_.Free(separator);
}

std::size_t RowTree::CommonPrefix(Handle low, Handle high) const {
  if (low == 0 || high == 0) return 0;
  const Stored a = SeparatorAt(low);
  const Stored b = SeparatorAt(high);
  const Bytes left = PlainBytes(a.bytes, a.size);  // Separators change under our mutex alone.
  const Bytes right = PlainBytes(b.bytes, b.size);
  const std::size_t most = std::min(a.size, b.size);
  std::size_t common = 0;
  while (common < most && left[common] == right[common]) ++common;
  return common;
}

// What all keys between the bounds share. An inner node at an edge lacks a bound; there it is what its
// entries share, as most keys that are looked for do. In a leaf these change with every row.
std::size_t RowTree::PrefixOf(const TreeNode& node, Handle low, Handle high) const {
  if (low != 0 && high != 0) return CommonPrefix(low, high);
  const std::size_t count = node.count();
  if (node.is_leaf() || count < 2) return 0;
  return CommonPrefix(node.handle(0), node.handle(count - 1));
}

void RowTree::SetBoundsAndHeads(TreeNode& node, std::size_t old_prefix, Handle low, Handle high) {
  const std::size_t prefix = PrefixOf(node, low, high);
  node.SetBounds(prefix, low, high);
  if (prefix == old_prefix) return;
  const std::size_t count = node.count();
  for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(arena_.At(node.handle(i)));
  for (std::size_t i = 0; i < count; ++i) {
    const Stored key = KeyAt(node, i);
    node.SetEntry(i, HeadOfStored(key.bytes, key.size, prefix), node.handle(i));
  }
}

bool RowTree::GrowRoot() {
  const NodeId id = nodes_.Allocate();
  if (id == 0) return false;
  TreeNode& root = nodes_.At(id);
  const NodeId old = root_.load(std::memory_order_relaxed);
  root.Reset(number_, nodes_.At(old).level() + 1, 0, 0, 0);
  root.SetChild(0, old);
  root_.store(id, std::memory_order_release);
  root.Unlock();
  return true;
}

// Splits every full node on the way to the leaf of `key`, from above, so that each parent has room
// for the separator of its child.
bool RowTree::SplitFor(Bytes key) {
  const auto is_full = [](const TreeNode& node) { return node.count() == node.entries_max(); };
  if (is_full(nodes_.At(root_.load(std::memory_order_relaxed))) && !GrowRoot()) return false;
  TreeNode* node = &nodes_.At(root_.load(std::memory_order_relaxed));
  while (!node->is_leaf()) {
    const auto child_of = [&] {
      const Place place = Search(*node, node->version(), key);
      return place.index + (place.equal ? 1 : 0);
    };
    std::size_t child = child_of();
    if (is_full(nodes_.At(node->child(child)))) {
      if (!SplitChild(*node, child, key)) return false;
      child = child_of();
    }
    node = &nodes_.At(node->child(child));
  }
  return true;
}

std::size_t RowTree::SplitPoint(const TreeNode& node, Bytes key) const {
  const std::size_t count = node.count();
  const std::size_t index = Search(node, node.version(), key).index;
  if (index == count) return count - EdgeShare(count);
  if (index == 0) return EdgeShare(count);
  return count / 2;
}

bool RowTree::SplitChild(TreeNode& parent, std::size_t child, Bytes key) {
  TreeNode& left = nodes_.At(parent.child(child));
  left.Lock();
  if (left.count() < left.entries_max()) {  // A leaf that lost a row meanwhile.
    left.Unlock();
    return true;
  }
  const std::size_t at = SplitPoint(left, key);
  const bool is_leaf = left.is_leaf();
  const Handle separator = is_leaf ? NewSeparator(left, at) : left.handle(at);
  const NodeId right_id = separator == 0 ? 0 : nodes_.Allocate();
  if (right_id == 0) {
    if (is_leaf && separator != 0) FreeSeparator(separator);
    left.Unlock();
    return false;
  }
  TreeNode& right = nodes_.At(right_id);
  parent.Lock();
  MoveUpper(left, right, at, separator);
  const Stored stored = SeparatorAt(separator);
  parent.InsertEntry(child, HeadOfStored(stored.bytes, stored.size, parent.prefix()), separator,
                     right_id);
  // At an edge the new separator may share less than the others do.
  SetBoundsAndHeads(parent, parent.prefix(), parent.low(), parent.high());
  parent.Unlock();
  right.Unlock();
  left.Unlock();
  return true;
}

// In an inner node the entry at `at` itself moves up to the parent.
void RowTree::MoveUpper(TreeNode& left, TreeNode& right, std::size_t at, Handle separator) {
  const std::size_t count = left.count();
  const std::size_t prefix = left.prefix();
  const Handle low = left.low();
  const Handle high = left.high();
  right.Reset(number_, left.level(), prefix, separator, high);
  const std::size_t from = left.is_leaf() ? at : at + 1;
  for (std::size_t i = from; i < count; ++i) {
    right.SetEntry(i - from, left.head(i), left.handle(i));
  }
  if (!left.is_leaf()) {
    for (std::size_t i = from; i <= count; ++i) right.SetChild(i - from, left.child(i));
  }
  right.SetCount(count - from);
  left.Truncate(at);
  SetBoundsAndHeads(left, prefix, low, separator);
  SetBoundsAndHeads(right, prefix, separator, high);
}

void RowTree::MergeAround(Bytes key) {
  std::vector<Step> path;
  NodeId id = root_.load(std::memory_order_relaxed);
  for (std::size_t child = 0;;) {
    path.push_back({.id = id, .child = child});
    const TreeNode& node = nodes_.At(id);
    if (node.is_leaf()) break;
    const Place place = Search(node, node.version(), key);
    child = place.index + (place.equal ? 1 : 0);
    id = node.child(child);
  }
  for (std::size_t depth = path.size() - 1; depth > 0; --depth) {
    if (!MergeChild(nodes_.At(path[depth - 1].id), path[depth].child)) break;
  }
  for (;;) {
    const NodeId old = root_.load(std::memory_order_relaxed);
    TreeNode& root = nodes_.At(old);
    if (root.is_leaf() || root.count() > 0) return;
    root.Lock();
    root_.store(root.child(0), std::memory_order_release);
    nodes_.Free(old);
  }
}

// True when the parent has become smaller, or has nothing to merge and should itself be merged.
bool RowTree::MergeChild(TreeNode& parent, std::size_t child) {
  if (parent.count() == 0) return true;
  const std::size_t entry = child > 0 ? child - 1 : 0;
  const NodeId right_id = parent.child(entry + 1);
  TreeNode& left = nodes_.At(parent.child(entry));
  TreeNode& right = nodes_.At(right_id);
  parent.Lock();
  left.Lock();
  right.Lock();
  const bool is_leaf = left.is_leaf();
  const std::size_t together = left.count() + right.count() + (is_leaf ? 0 : 1);
  const bool merges = together <= MergedMax(left.entries_max());
  if (merges) {
    const Handle separator = parent.handle(entry);
    Absorb(left, right, separator);
    parent.RemoveEntry(entry);
    if (is_leaf) FreeSeparator(separator);
    nodes_.Free(right_id);
  } else {
    right.Unlock();
  }
  left.Unlock();
  parent.Unlock();
  return merges;
}

void RowTree::Absorb(TreeNode& left, const TreeNode& right, Handle separator) {
  std::size_t count = left.count();
  if (!left.is_leaf()) {
    // Heads are set below, as the prefix of both together is another one.
    left.SetEntry(count, 0, separator);
    left.SetChild(count + 1, right.child(0));
    ++count;
  }
  for (std::size_t i = 0; i < right.count(); ++i, ++count) {
    left.SetEntry(count, 0, right.handle(i));
    if (!left.is_leaf()) left.SetChild(count + 1, right.child(i + 1));
  }
  left.SetCount(count);
  constexpr std::size_t kUnknown = ~std::size_t{0};
  SetBoundsAndHeads(left, kUnknown, left.low(), right.high());
}

}  // namespace mayfly::engine::hot
