#include "types/order_nodes.h"

#include <algorithm>

namespace mayfly::types {

Result<OrderIndex> OrderNodes::Index(std::uint64_t space, core::FoundMember& found) const {
  MAYFLY_RETURN_IF_ERROR(space_->FindSide(key_, OrderNodeKey(space), found));
  if (!found.exists) return UncountedOrder();
  return OrderIndex::Of(found.value);
}

Result<std::string> OrderNodes::StoredGroup(std::uint64_t space, std::size_t group) const {
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(space_->FindSide(key_, OrderNodeKey(space, group), found));
  if (!found.exists) return UncountedOrder();
  return std::string(found.value);
}

Result<std::vector<OrderNode>> OrderNodes::Group(std::uint64_t space, std::size_t group) const {
  MAYFLY_TRY(const std::string stored, StoredGroup(space, group));
  return OrderGroupOf(stored);
}

Status OrderNodes::PutGroup(std::uint64_t space, std::size_t group, Bytes stored) const {
  return space_->PutSide(key_, OrderNodeKey(space, group), stored);
}

Result<std::vector<OrderChild>> OrderNodes::Children(const OrderNode& node) const {
  std::vector<OrderChild> children;
  if (node.rows == 0) return children;
  core::FoundMember found;
  MAYFLY_TRY(const OrderIndex index, Index(node.space, found));
  for (std::size_t i = 0; i < index.size(); ++i) {
    children.push_back({std::string(index.low(i)), {.space = index.space(i)}});
  }
  for (std::size_t i = 0; i < children.size(); i += kGroupChildren) {
    MAYFLY_TRY(const auto group, Group(node.space, i / kGroupChildren));
    if (group.size() != std::min(kGroupChildren, children.size() - i)) return UncountedOrder();
    for (std::size_t k = 0; k < group.size(); ++k) {
      OrderNode& child = children[i + k].node;
      child.count = group[k].count;
      child.rows = group[k].rows;
      child.removed = group[k].removed;
    }
  }
  return children;
}

Status OrderNodes::PutChildren(std::uint64_t space, std::size_t before,
                               std::span<const OrderChild> children) const {
  std::size_t at = 0;
  for (; at < children.size(); at += kGroupChildren) {
    std::vector<OrderNode> group;
    for (const OrderChild& child :
         children.subspan(at, std::min(kGroupChildren, children.size() - at))) {
      group.push_back(child.node);
    }
    MAYFLY_RETURN_IF_ERROR(PutGroup(space, at / kGroupChildren, OrderGroupBytes(group)));
  }
  for (; at < before; at += kGroupChildren) {
    MAYFLY_RETURN_IF_ERROR(space_->RemoveSide(key_, OrderNodeKey(space, at / kGroupChildren)));
  }
  if (!children.empty()) {
    return space_->PutSide(key_, OrderNodeKey(space), OrderIndex::Encode(children));
  }
  return before > 0 ? space_->RemoveSide(key_, OrderNodeKey(space)) : Status();
}

}  // namespace mayfly::types
