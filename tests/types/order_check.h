// order_check.h - checks a counted order from its rows alone: every invariant of counted_order.h,
// and that there are no other rows.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "types/counted_order.h"

namespace mayfly::types {

class OrderCheck {
 public:
  // The items with their values, in order.
  using Items = std::vector<std::pair<std::string, std::string>>;

  static Items Of(core::TransactionKeyspace& space, Bytes key, const OrderRoot& root) {
    OrderCheck check;
    const auto cursor = space.NewMemberCursor(key, core::Part::kSides).value();
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      check.rows_.emplace(cursor->member(), cursor->value());
    }
    check.next_space_ = root.next_space;
    check.Recount(root.node, root.levels, "", std::nullopt);
    EXPECT_TRUE(check.rows_.empty()) << check.rows_.size() << " rows belong to no node";
    return std::move(check.items_);
  }

 private:
  // Removes a row from those not checked yet.
  std::string Eat(const std::string& key) {
    const auto at = rows_.find(key);
    EXPECT_NE(at, rows_.end());
    if (at == rows_.end()) return {};
    std::string value = at->second;
    rows_.erase(at);
    return value;
  }

  void Recount(const OrderNode& node, std::uint64_t level, const std::string& low,
               const std::optional<std::string>& end) {
    if (testing::Test::HasFailure()) return;
    EXPECT_LT(node.space, next_space_);
    EXPECT_LE(node.rows, kChildrenMax + 1);
    level == 0 ? RecountLeaf(node, low, end) : RecountNode(node, level, end);
  }

  void RecountLeaf(const OrderNode& leaf, const std::string& low,
                   const std::optional<std::string>& end) {
    EXPECT_LE(leaf.rows, kLeafRowsMax);
    EXPECT_LE(leaf.removed, kLeafRemovedMax);
    const auto first = rows_.lower_bound(OrderRowKey(leaf.space, low));
    const auto last =
        rows_.lower_bound(end ? OrderRowKey(leaf.space, *end) : OrderSpaceEnd(leaf.space));
    std::uint64_t count = 0;
    std::uint64_t rows = 0;
    for (auto row = first; row != last; ++row, ++rows) {
      items_.emplace_back(ItemOfOrderRow(row->first), row->second);
      count += WeightOf(row->second).value();
    }
    rows_.erase(first, last);
    EXPECT_EQ(rows, leaf.rows);
    EXPECT_EQ(count, leaf.count);
  }

  void RecountNode(const OrderNode& node, std::uint64_t level,
                   const std::optional<std::string>& end) {
    EXPECT_EQ(node.removed, 0u);
    if (node.rows == 0) {
      EXPECT_EQ(node.count, 0u);
      return;
    }
    const std::string bytes = Eat(OrderRowKey(node.space, {}));
    const OrderIndex index = OrderIndex::Of(bytes).value();
    ASSERT_EQ(index.size(), node.rows);
    std::vector<OrderNode> children;
    for (std::size_t group = 0; group * kGroupChildren < index.size(); ++group) {
      const std::string stored = Eat(OrderRowKey(node.space, {}) + static_cast<char>(group));
      const std::vector<OrderNode> nodes = OrderGroupOf(stored).value();
      children.insert(children.end(), nodes.begin(), nodes.end());
    }
    ASSERT_EQ(children.size(), index.size());
    std::uint64_t count = 0;
    bool after_empty = true;
    for (std::size_t i = 0; i < children.size(); ++i) {
      children[i].space = index.space(i);
      count += children[i].count;
      EXPECT_FALSE(after_empty && children[i].rows == 0) << "an empty node too many";
      after_empty = children[i].rows == 0;
      const bool is_last = i + 1 == children.size();
      Recount(children[i], level - 1, std::string(index.low(i)),
              is_last ? end : std::optional(std::string(index.low(i + 1))));
    }
    EXPECT_EQ(count, node.count);
  }

  std::map<std::string, std::string> rows_;
  std::uint64_t next_space_ = 0;
  Items items_;
};

}  // namespace mayfly::types
