// order_node.h - the bytes of a counted order: its root, its nodes and the keys of its rows.
//   root     | levels, space, removed, next space, rows: varints |, or nothing
//   leaf     | space varint | item |           ->  what the owner keeps with the item
//   node     | space varint |                  ->  its children: where each begins, and its space
//            | space varint | group u8 |       ->  the counts of kGroupChildren of them
// A varint is no prefix of another, so the rows of one space lie together. counted_order.h says
// what all of it is for. Layout: docs/formats/types.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::types {

// Items of a leaf, and children of a node: past these it is split in two. A node is also when its
// bytes are too many, which takes long names. Few levels make changes cheap, small leaves ranks.
inline constexpr std::uint64_t kLeafRowsMax = 256;
inline constexpr std::size_t kChildrenMax = 1024;
inline constexpr std::size_t kNodeBytesMax = std::size_t{64} << 10;
inline constexpr std::size_t kLongChildrenMin = 4;

// A leaf that has become as small as this looks for a neighbour to join.
inline constexpr std::uint64_t kLeafRowsFew = 32;

// Items removed from a leaf's part of its space after which what is left moves to a fresh one. No
// walk through a leaf meets more of their tombstones. A small leaf moves at less cost, and so
// earlier.
inline constexpr std::uint64_t kLeafRemovedMax = 512;
inline constexpr std::uint64_t kLeafRemovedMin = 64;
inline constexpr std::uint64_t kRemovedPerRow = 4;

// Children whose counts are one row.
inline constexpr std::size_t kGroupChildren = 32;

struct OrderNode {
  std::uint64_t space = 0;    // Where its rows are.
  std::uint64_t count = 0;    // The weights of all items below it.
  std::uint64_t rows = 0;     // Items of a leaf, children of a node.
  std::uint64_t removed = 0;  // Of a leaf: items that were removed from where its own are, at most.
};

struct OrderRoot {
  std::uint64_t levels = 0;  // Above the leaves; 0: the root is a leaf.
  OrderNode node = {};
  std::uint64_t next_space = 1;
};

// The count is what the owner knows anyway, and is asked when it is read. A leaf of items that
// weigh 1, of which none was removed yet, needs no bytes at all.
void AppendRoot(std::string& out, const OrderRoot& root);
[[nodiscard]] bool EatRoot(Bytes& in, std::uint64_t count, OrderRoot& root);

std::string OrderRowKey(std::uint64_t space, Bytes item);
std::string OrderSpaceEnd(std::uint64_t space);  // Behind all of its rows.
Bytes ItemOfOrderRow(Bytes row);

// Of an item: 1 unless its value says otherwise, in a varint in front.
Result<std::uint64_t> WeightOf(Bytes value);

struct OrderChild {
  std::string low;  // No item of it lies before this, none of the one before it behind.
  OrderNode node;
};

// The children of a node, as they are stored:
//   | how many u16 | where each one's bytes end u32 | each: space varint, low |, little endian
class OrderIndex {
 public:
  static Result<OrderIndex> Of(Bytes stored);
  static std::string Encode(std::span<const OrderChild> children);

  std::size_t size() const { return size_; }
  Bytes low(std::size_t child) const;
  std::uint64_t space(std::size_t child) const;

  // How many begin at or before the item.
  std::size_t CountUpTo(Bytes item) const;

 private:
  OrderIndex(std::size_t size, Bytes ends, Bytes children)
      : size_(size), ends_(ends), children_(children) {}

  Bytes Child(std::size_t child) const;

  std::size_t size_;
  Bytes ends_;
  Bytes children_;
};

// Count, rows and removed of the children of one group; spaces are the index's.
std::string OrderGroupBytes(std::span<const OrderNode> group);
Result<std::vector<OrderNode>> OrderGroupOf(Bytes stored);

Status UncountedOrder();

}  // namespace mayfly::types
