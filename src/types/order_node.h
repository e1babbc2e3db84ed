// order_node.h - the bytes of a counted order: its root, its nodes and the keys of its rows.
//   root     | levels, space, removed, next space, rows: varints |, or nothing
//   leaf     | space varint | item |           ->  what the owner keeps with the item
//   node     | space varint |                  ->  its children: where each begins, and its space
//            | space varint | group u8 |       ->  the counts of kGroupChildren of them
// A varint is no prefix of another, so the rows of one space lie together. The tree is explained in
// counted_order.h. Layout: docs/formats/types.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/coding.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::types {

// Items of a leaf, and children of a node: past these it is split in two. A node is also split when
// it has too many bytes, which takes long names. Few levels make changes cheap, small leaves make
// ranks cheap.
inline constexpr std::uint64_t kLeafRowsMax = 256;
inline constexpr std::size_t kChildrenMax = 1024;
inline constexpr std::size_t kNodeBytesMax = std::size_t{64} << 10;
inline constexpr std::size_t kLongChildrenMin = 4;

// A leaf that has become as small as this is joined with a neighbour if possible.
inline constexpr std::uint64_t kLeafRowsFew = 32;

// Items removed from a leaf's range of its space after which its items move to a fresh space. No
// cursor over a leaf passes more tombstones. A small leaf costs less to move, and so moves earlier.
inline constexpr std::uint64_t kLeafRemovedMax = 512;
inline constexpr std::uint64_t kLeafRemovedMin = 64;
inline constexpr std::uint64_t kRemovedPerRow = 4;

// Children whose counts are one row.
inline constexpr std::size_t kGroupChildren = 32;

struct OrderNode {
  std::uint64_t space = 0;    // Where its rows are.
  std::uint64_t count = 0;    // The sum of weights of all items below it.
  std::uint64_t rows = 0;     // Items of a leaf, children of a node.
  std::uint64_t removed = 0;  // Of a leaf: the most tombstones in its range.
};

struct OrderRoot {
  std::uint64_t levels = 0;  // Above the leaves; 0: the root is a leaf.
  OrderNode node = {};
  std::uint64_t next_space = 1;
};

// The count is not stored: the owner knows it and passes it in. A leaf of items that weigh 1, of
// which none was removed yet, needs no bytes at all.
void AppendRoot(std::string& out, const OrderRoot& root);
[[nodiscard]] bool EatRoot(Bytes& in, std::uint64_t count, OrderRoot& root);

// The key of a node's index, or of one of its groups. On the stack: each change needs some of them.
class OrderNodeKey {
 public:
  explicit OrderNodeKey(std::uint64_t space) : end_(WriteVarint(bytes_.data(), space)) {}
  OrderNodeKey(std::uint64_t space, std::size_t group) : OrderNodeKey(space) {
    *end_++ = static_cast<char>(group);
  }
  OrderNodeKey(const OrderNodeKey&) = delete;
  OrderNodeKey& operator=(const OrderNodeKey&) = delete;

  operator Bytes() const {  // NOLINT(google-explicit-constructor): it is one.
    return {bytes_.data(), static_cast<std::size_t>(end_ - bytes_.data())};
  }

 private:
  std::array<char, kVarintBytesMax + 1> bytes_;  // Not cleared: only what is before end_ is read.
  char* end_;
};

std::string OrderRowKey(std::uint64_t space, Bytes item);
std::string OrderSpaceEnd(std::uint64_t space);  // After all of its rows.
Bytes ItemOfOrderRow(Bytes row);

// The weight of an item: 1, unless its value begins with another as a varint.
Result<std::uint64_t> WeightOf(Bytes value);

struct OrderChild {
  std::string low;  // Its items lie at or after this, those of the child before it lie before.
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

  // How many children begin at or before the item.
  std::size_t CountUpTo(Bytes item) const;

 private:
  OrderIndex(std::size_t size, Bytes ends, Bytes children)
      : size_(size), ends_(ends), children_(children) {}

  Bytes Child(std::size_t child) const;

  std::size_t size_;
  Bytes ends_;
  Bytes children_;
};

// Count, rows and removed of the children of one group; their spaces are in the index.
std::string OrderGroupBytes(std::span<const OrderNode> group);
Result<std::vector<OrderNode>> OrderGroupOf(Bytes stored);

// One child of a stored group, without decoding the others, and where its bytes begin.
struct GroupChild {
  OrderNode node;
  std::size_t begin;
};
Result<GroupChild> ChildInGroup(Bytes stored, std::size_t child);

// Replaces the child whose bytes begin there.
Status ReplaceInGroup(std::string& stored, std::size_t begin, const OrderNode& node);

Status UncountedOrder();

}  // namespace mayfly::types
