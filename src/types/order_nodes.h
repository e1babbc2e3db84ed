// order_nodes.h - reads and writes the nodes of a counted order above its leaves.
// A node is an index, which changes when children are added and removed, and groups of counts, of
// which each change writes one. All are read by their keys and not by a cursor: rows that change
// often have many versions in the engine, and a cursor would step over each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "types/order_node.h"

namespace mayfly::types {

class OrderNodes {
 public:
  // Borrows both.
  OrderNodes(core::TransactionKeyspace& space, Bytes key) : space_(&space), key_(key) {}

  // Views hold until the collection changes, or `found` is used again. A node without children has
  // no index: then `found.exists` is false.
  Result<OrderIndex> Index(std::uint64_t space, core::FoundMember& found) const;

  Result<std::vector<OrderNode>> Group(std::uint64_t space, std::size_t group) const;
  Result<std::string> StoredGroup(std::uint64_t space, std::size_t group) const;
  Status PutGroup(std::uint64_t space, std::size_t group, Bytes stored) const;

  Result<std::vector<OrderChild>> Children(const OrderNode& node) const;
  // Replaces `before` children.
  Status PutChildren(std::uint64_t space, std::size_t before,
                     std::span<const OrderChild> children) const;

 private:
  core::TransactionKeyspace* space_;
  Bytes key_;  // The caller's.
};

}  // namespace mayfly::types
