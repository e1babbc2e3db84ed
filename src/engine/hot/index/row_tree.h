// row_tree.h - the rows of one role in the order of their keys: a B+tree.
// Readers descend without a lock: they note a node's version, read, and compare it before they
// follow a child (optimistic lock coupling). A writer locks the one leaf it changes. Splits and
// merges, one insert in some sixty, take the structure mutex: inner nodes change under it alone.
// Invariants: (1) A thread that holds a leaf's lock waits for nothing. (2) A node stays locked from its
// split until its parent knows its new neighbour. (3) Siblings merge under one parent alone, so the
// separator between them is in that parent and nowhere above.
// Threads: reads from any thread; changes of a row with that row's lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "engine/hot/index/slab_arena.h"
#include "engine/hot/index/tree_node.h"
#include "mayfly/bytes.h"

namespace mayfly::engine::hot {

class RowTree {
 public:
  // A place in a leaf, as a reader found it.
  struct Position {
    const TreeNode* leaf = nullptr;
    std::uint32_t seen = 0;
    std::size_t index = 0;
    std::size_t count = 0;
    bool equal = false;  // The row at `index` has the key that was looked for.

    // True while the leaf is unchanged, so that its rows are in the tree.
    bool IsCurrent() const { return leaf->IsVersion(seen); }
  };

  // `number`: of the tree, from 1 on, among those that share the nodes.
  RowTree(SlabArena& arena, NodePool& nodes, std::uint32_t number);
  RowTree(const RowTree&) = delete;
  RowTree& operator=(const RowTree&) = delete;

  // The leaf whose range has `key`, at the first row that is not before `key`; it may lie behind
  // the leaf's last row. An empty key is the beginning.
  Position Find(Bytes key) const { return Descend(key, false); }

  // The leaf that has the last keys before `key`; `index` counts those of the leaf. An empty key is
  // the end.
  Position FindBefore(Bytes key) const { return Descend(key, true); }

  // The bounds of the leaf, from where a cursor goes on. False when the leaf changed; an empty
  // bound is none.
  bool HighOf(const Position& at, std::string& bound) const;
  bool LowOf(const Position& at, std::string& bound) const;

  // False when there is no memory; nothing has changed then.
  bool Insert(Bytes key, Handle row);
  // The row with this key is in the tree.
  void Remove(Bytes key, Handle row);
  void Replace(Bytes key, Handle row, Handle by);

 private:
  struct Step {
    NodeId id;
    std::size_t child;  // Of the parent.
  };

  struct Place {
    std::size_t index = 0;
    bool equal = false;
  };

  struct Stored {
    const std::byte* bytes;
    std::size_t size;
  };

  // How `key` lies to the prefix that all entries of a node at an edge share.
  int CompareToPrefix(const TreeNode& node, std::uint32_t seen, Bytes key) const;
  // The first entry not before `key`. Meaningful only if the node still has version `seen`.
  Place Search(const TreeNode& node, std::uint32_t seen, Bytes key) const;
  // The entry of a row, found by its handle: without a look at other rows, which are memory far away.
  Place EntryOf(const TreeNode& leaf, Bytes key, Handle row) const;
  bool TryDescend(Bytes key, bool before, Handle row, Position& at) const;
  Position Descend(Bytes key, bool before) const;
  bool CopyBound(const Position& at, Handle separator, std::string& bound) const;

  // Locks the leaf of `key`. With `row`, which has the key, `at` is its entry.
  TreeNode& LockLeafOf(Bytes key, Handle row, Position& at) const;

  // The leaf where keys that come in order are added, locked, if `key` belongs at its end; else null.
  TreeNode* LockGrowingLeaf(Bytes key, Position& at) const;
  bool IsBehind(const TreeNode& leaf, std::uint32_t seen, std::size_t count, Bytes key) const;
  void NoteInsert(const TreeNode& leaf, const Position& at);

  // Changes of the structure (row_tree_structure.cc), with the structure mutex.
  bool SplitFor(Bytes key);
  bool GrowRoot();
  bool SplitChild(TreeNode& parent, std::size_t child, Bytes key);
  std::size_t SplitPoint(const TreeNode& node, Bytes key) const;
  void MergeAround(Bytes key);
  bool MergeChild(TreeNode& parent, std::size_t child);
  void MoveUpper(TreeNode& left, TreeNode& right, std::size_t at, Handle separator);
  void Absorb(TreeNode& left, const TreeNode& right, Handle separator);
  void SetBoundsAndHeads(TreeNode& node, std::size_t old_prefix, Handle low, Handle high);

  Stored SeparatorAt(Handle separator) const {
    const std::byte* at = arena_.At(separator);
    return {.bytes = at + sizeof(Word), .size = LoadWord(at) & kKeyLengthMask};
  }
  Stored KeyOf(Handle handle, bool of_row) const;  // The handle of a row or of a separator.
  Stored KeyAt(const TreeNode& node, std::size_t i) const;
  std::string CopyKey(const TreeNode& node, std::size_t i) const;
  Handle NewSeparator(const TreeNode& leaf, std::size_t at);
  void FreeSeparator(Handle separator);
  std::size_t CommonPrefix(Handle low, Handle high) const;
  std::size_t PrefixOf(const TreeNode& node, Handle low, Handle high) const;

  SlabArena& arena_;
  NodePool& nodes_;
  const std::uint32_t number_;
  std::atomic<NodeId> root_;
  // The leaf at whose end the last insert came; 0: it came elsewhere. Any leaf, or a node that is in
  // no tree any more, or in another: to be checked.
  std::atomic<NodeId> growing_{0};
  std::mutex structure_mutex_;
};

}  // namespace mayfly::engine::hot
