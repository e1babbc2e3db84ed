#include "engine/hot/index/tree_node.h"

#include <algorithm>

#include "base/check.h"

namespace mayfly::engine::hot {

void TreeNode::Lock() {
  for (Backoff backoff;; backoff.Wait()) {
    if (TryLock(StableVersion())) return;
  }
}

void TreeNode::Reset(std::uint32_t tree, std::size_t level, std::size_t prefix, Handle low,
                     Handle high) {
  tree_.store(tree, std::memory_order_release);
  shape_.store(static_cast<std::uint32_t>(level << 16), std::memory_order_release);
  SetBounds(prefix, low, high);
}

void TreeNode::SetBounds(std::size_t prefix, Handle low, Handle high) {
  prefix_.store(static_cast<std::uint32_t>(prefix), std::memory_order_release);
  low_.store(low, std::memory_order_release);
  high_.store(high, std::memory_order_release);
}

void TreeNode::SetCount(std::size_t count) {
  const std::uint32_t level = shape_.load(std::memory_order_relaxed) & 0xffff0000U;
  shape_.store(level | static_cast<std::uint32_t>(count), std::memory_order_release);
}

void TreeNode::InsertEntry(std::size_t i, std::uint32_t head, Handle handle, NodeId right) {
  const std::size_t n = count();
  for (std::size_t k = n; k > i; --k) entries_[k].store(entry(k - 1), std::memory_order_release);
  SetEntry(i, head, handle);
  if (!is_leaf()) {
    for (std::size_t k = n + 1; k > i + 1; --k) SetChild(k, child(k - 1));
    SetChild(i + 1, right);
  }
  SetCount(n + 1);
}

void TreeNode::RemoveEntry(std::size_t i) {
  const std::size_t n = count();
  for (std::size_t k = i + 1; k < n; ++k)
    entries_[k - 1].store(entry(k), std::memory_order_release);
  entries_[n - 1].store(0, std::memory_order_release);
  if (!is_leaf()) {
    for (std::size_t k = i + 2; k <= n; ++k) SetChild(k - 1, child(k));
  }
  SetCount(n - 1);
}

void TreeNode::Truncate(std::size_t count) {
  for (std::size_t k = count, n = this->count(); k < n; ++k) {
    entries_[k].store(0, std::memory_order_release);
  }
  SetCount(count);
}

void TreeNode::Leave() {
  Truncate(0);
  tree_.store(0, std::memory_order_release);
}

NodePool::NodePool(std::size_t nodes_max, bool huge_pages)
    : nodes_max_(nodes_max),
      region_(nodes_max * sizeof(TreeNode), huge_pages, 0),
      nodes_(reinterpret_cast<TreeNode*>(region_.base())) {}

NodeId NodePool::Allocate() {
  NodeId id = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      id = free_.back();
      free_.pop_back();
    } else {
      if (fresh_ >= nodes_max_ || !region_.Reach((std::size_t{fresh_} + 1) * sizeof(TreeNode))) {
        return 0;
      }
      id = fresh_++;
    }
  }
  used_.fetch_add(1, std::memory_order_relaxed);
  At(id).Lock();
  return id;
}

void NodePool::Free(NodeId id) {
  At(id).Leave();
  At(id).Unlock();
  used_.fetch_sub(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  free_.push_back(id);
}

}  // namespace mayfly::engine::hot
