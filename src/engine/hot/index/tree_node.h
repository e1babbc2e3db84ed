// tree_node.h - a node of the ordered index: 1 KiB.
//   | version u32 | count u16, level u16 | prefix u32 | low u32 | high u32 | pad u32 | 1000 bytes |
//   leaf:  125 entries | head u32, row handle u32 |
//   inner: 83 entries | head u32, separator handle u32 |, 84 children u32
// Keys of a node lie in [low, high); both are separators (blocks in the arena), 0 is no bound. They
// share their first `prefix` bytes with the bounds, so a head is the four bytes behind: most
// searches compare heads alone and touch no row. Entries are in the order of (head, key).
// The version is odd while the node changes. Node memory is only ever node memory and versions only
// grow, so a reader that compares versions cannot be fooled by a node that was freed and reused.
// A separator belongs to the inner node it is an entry of; bounds are the same blocks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/hot/index/region.h"
#include "engine/hot/index/slab_arena.h"
#include "engine/hot/index/words.h"
#include "mayfly/bytes.h"

namespace mayfly::engine::hot {

// The number of a node in its pool. 0: none.
using NodeId = std::uint32_t;

class TreeNode {
 public:
  static constexpr std::size_t kLeafEntriesMax = 125;
  static constexpr std::size_t kInnerEntriesMax = 83;

  // Fetches all of it into the cache: the steps of a search would wait for one line after another.
  void Prefetch() const {
    for (std::size_t line = 0; line < sizeof(TreeNode); line += 64) {
      __builtin_prefetch(reinterpret_cast<const char*>(this) + line);
    }
  }

  // The version, once it is even.
  std::uint32_t StableVersion() const {
    for (Backoff backoff;; backoff.Wait()) {
      const std::uint32_t seen = version();
      if ((seen & 1) == 0) return seen;
    }
  }
  bool IsVersion(std::uint32_t seen) const {
    return version_.load(std::memory_order_acquire) == seen;
  }

  // Locks the node if it still has this version.
  bool TryLock(std::uint32_t seen) {
    return version_.compare_exchange_strong(seen, seen + 1, std::memory_order_acq_rel);
  }
  void Lock();
  void Unlock() { version_.fetch_add(1, std::memory_order_acq_rel); }
  std::uint32_t version() const { return version_.load(std::memory_order_acquire); }

  // Clamped, so that a reader of a changing node stays inside it.
  std::size_t count() const {
    const std::uint32_t shape = shape_.load(std::memory_order_acquire);
    return std::min<std::size_t>(shape & 0xffff,
                                 shape >> 16 == 0 ? kLeafEntriesMax : kInnerEntriesMax);
  }
  std::size_t level() const { return shape_.load(std::memory_order_acquire) >> 16; }
  bool is_leaf() const { return level() == 0; }
  std::size_t entries_max() const { return is_leaf() ? kLeafEntriesMax : kInnerEntriesMax; }
  std::uint32_t tree() const { return tree_.load(std::memory_order_acquire); }  // 0: free.
  std::size_t prefix() const { return prefix_.load(std::memory_order_acquire); }
  // The prefix is that of the entries: keys that are looked for may be outside of it.
  bool has_own_prefix() const { return !is_leaf() && prefix() > 0 && (low() == 0 || high() == 0); }
  Handle low() const { return low_.load(std::memory_order_acquire); }
  Handle high() const { return high_.load(std::memory_order_acquire); }

  std::uint64_t entry(std::size_t i) const { return entries_[i].load(std::memory_order_acquire); }
  std::uint32_t head(std::size_t i) const { return static_cast<std::uint32_t>(entry(i) >> 32); }
  Handle handle(std::size_t i) const { return static_cast<Handle>(entry(i)); }
  // The first entry of [from, to) that has this head or a higher one; `to`: none. Without branches
  // on what was read, which nobody can predict.
  std::size_t FirstWithHeadFrom(std::uint32_t head, std::size_t from, std::size_t to) const {
    const std::uint64_t least = std::uint64_t{head} << 32;
    std::size_t size = to - from;
    if (size == 0) return to;
    while (size > 1) {
      const std::size_t half = size / 2;
      from += entry(from + half - 1) < least ? half : 0;
      size -= half;
    }
    return from + (entry(from) < least ? 1 : 0);
  }
  NodeId child(std::size_t i) const { return children()[i].load(std::memory_order_acquire); }

  // With the lock.
  void Reset(std::uint32_t tree, std::size_t level, std::size_t prefix, Handle low, Handle high);
  void SetBounds(std::size_t prefix, Handle low, Handle high);
  void SetCount(std::size_t count);
  void SetEntry(std::size_t i, std::uint32_t head, Handle handle) {
    entries_[i].store(std::uint64_t{head} << 32 | handle, std::memory_order_release);
  }
  void SetChild(std::size_t i, NodeId child) {
    children()[i].store(child, std::memory_order_release);
  }
  // Makes room for an entry, and in an inner node for the child on its right.
  void InsertEntry(std::size_t i, std::uint32_t head, Handle handle, NodeId right);
  // Removes an entry, and in an inner node the child on its right.
  void RemoveEntry(std::size_t i);
  // Overwrites entries from `count` on: they hold bytes of keys.
  void Truncate(std::size_t count);
  // Empties the node: it is in no tree from now on.
  void Leave();

 private:
  const std::atomic<NodeId>* children() const {
    return reinterpret_cast<const std::atomic<NodeId>*>(entries_ + kInnerEntriesMax);
  }
  std::atomic<NodeId>* children() {
    return reinterpret_cast<std::atomic<NodeId>*>(entries_ + kInnerEntriesMax);
  }

  std::atomic<std::uint32_t> version_;
  std::atomic<std::uint32_t> shape_;  // Level and count.
  std::atomic<std::uint32_t> prefix_;
  std::atomic<Handle> low_;
  std::atomic<Handle> high_;
  std::atomic<std::uint32_t> tree_;
  std::atomic<std::uint64_t> entries_[kLeafEntriesMax];
};
static_assert(sizeof(TreeNode) == 1024);
static_assert(TreeNode::kInnerEntriesMax * 8 + (TreeNode::kInnerEntriesMax + 1) * 4 <= 1000);

// Nodes of all roles. Threads: every call from any thread.
class NodePool {
 public:
  NodePool(std::size_t nodes_max, bool huge_pages);

  TreeNode& At(NodeId id) const { return nodes_[id]; }
  NodeId IdOf(const TreeNode& node) const { return static_cast<NodeId>(&node - nodes_); }

  // Locked, and with a version it never had before. 0 when the pool is used up.
  NodeId Allocate();
  // Locked; it becomes unlocked.
  void Free(NodeId id);

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

  // Ever used at the same time: their memory is kept.
  std::size_t made() const {
    const std::lock_guard lock(mutex_);
    return fresh_ - 1;
  }

 private:
  const std::size_t nodes_max_;
  Region region_;
  TreeNode* nodes_;
  mutable std::mutex mutex_;
  std::vector<NodeId> free_;
  NodeId fresh_ = 1;
  std::atomic<std::size_t> used_{0};
};

// The four bytes of `key` behind `prefix`, as a number in byte order; zeros behind its end.
inline std::uint32_t HeadOf(Bytes key, std::size_t prefix) {
  if (prefix >= key.size()) return 0;
  const std::size_t n = std::min<std::size_t>(key.size() - prefix, 4);
  return static_cast<std::uint32_t>(OrderOf(LoadPlain(key.data() + prefix, n), n) >> 32);
}

}  // namespace mayfly::engine::hot
