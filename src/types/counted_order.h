// counted_order.h - a counted tree of items in byte order, in the sides of a collection.
// Each item is a row of its own, and a leaf is a range of them; above the leaves, nodes have the
// beginnings and the counts of their children. So a change writes its item and one small row for
// each level, and an order of up to kLeafRowsMax items, which is one leaf, writes its item alone:
// its root is in the collection's head.
//
//   root, in the head ---- node: where its children begin, and their counts ---- rows of a leaf
//
// Items weigh 1 unless their value says otherwise; counts are sums of weights.
// Rows lie in a space, a number in front of their keys. Splitting a leaf writes where its second
// half begins: both halves stay where they are. Removed items leave tombstones in the engine, which
// cursors would have to pass; so a leaf counts the tombstones in its range, and past
// kLeafRemovedMax its items move to a fresh space, which has none. An empty leaf gets a fresh
// space, too, or is removed. Hence no cursor, seek or pop depends on how much was removed before.
// Invariants: (1) Items below a child are at or after its beginning and before the next one's. (2)
// Of neighbours below one node no two are empty, and the first is not; the range before the first
// has no leaf until an item comes. (3) A space is used once.
// A CountedOrder belongs to one collection within a latched transaction; it borrows both. Threads:
// one at a time.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "types/order_node.h"
#include "types/order_nodes.h"

namespace mayfly::types {

class CountedOrder {
 public:
  CountedOrder(core::TransactionKeyspace& space, Bytes key, const OrderRoot& root)
      : space_(&space), key_(key), nodes_(space, key), root_(root) {}

  // After changes the caller writes it to the collection's head.
  const OrderRoot& root() const { return root_; }

  // Inserts a new item. A value that is not empty begins with the item's weight (WeightOf).
  Status Insert(Bytes item, Bytes value = {});

  // Change an item that exists. Corruption when the tree contradicts that.
  Status Remove(Bytes item, std::uint64_t weight = 1);
  Status Replace(Bytes item, std::uint64_t weight, Bytes value);

  // The sum of weights of all items before this one, which need not exist; and whether it exists.
  struct KeyState {
    std::uint64_t before = 0;
    bool exists = false;
  };
  Result<KeyState> Locate(Bytes item) const;

  // The item whose weight covers `position`, which is below the count.
  struct Place {
    std::string item;
    std::string value;
    std::uint64_t before = 0;  // The sum of weights of all items before it.
  };
  Result<Place> At(std::uint64_t position) const;

 private:
  using Rows = std::vector<std::pair<std::string, std::string>>;
  using Children = std::vector<OrderChild>;

  // A node, its begin and end, and its place among the children of the previous one on the path.
  struct Step {
    OrderNode node = {};
    std::string low = {};
    std::optional<std::string> end = {};
    std::size_t place = 0;
    std::string group = {};       // The group it belongs to, as stored,
    std::size_t group_begin = 0;  // and where its bytes begin in that.
  };

  Result<bool> Below(const Step& step, Bytes item, Step& below) const;
  Result<std::unique_ptr<core::MemberCursor>> Over(const Step& leaf) const;
  Result<Rows> RowsOf(const Step& leaf) const;
  Result<bool> Descend(Bytes item);

  std::uint64_t NewSpace() { return root_.next_space++; }
  Status WriteUp();
  Status Fill();
  Status SplitLeaf(Bytes item);
  Status AddChild(std::size_t depth, OrderChild left, OrderChild right, Bytes item);
  Status Raise(OrderChild left, OrderChild right);
  Status Renew(Step& leaf, const Rows& rows);
  Status LeaveEmpty();
  Status Join();
  Status Lower();

  core::TransactionKeyspace* space_;
  Bytes key_;  // The caller's.
  OrderNodes nodes_;
  OrderRoot root_;
  boost::container::small_vector<Step, 2>
      path_;  // From the root to the leaf of the last item; empty: not known.
};

}  // namespace mayfly::types
