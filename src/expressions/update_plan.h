// update_plan.h - a parsed and checked update.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "expressions/syntax/operand.h"
#include "expressions/syntax/path.h"
#include "mayfly/item.h"
#include "mayfly/result.h"

namespace mayfly::expressions {

struct UpdateAction {
  enum class Kind : std::uint8_t { kSet, kRemove, kAdd, kDelete };
  Kind kind = Kind::kSet;
  std::size_t clause = 0;  // Its clause, in the order of the text.
  Path path;
  Operand operand;  // Unused for kRemove.
};

struct UpdatePlan {
  std::vector<UpdateAction> actions;
  std::vector<Path> paths;  // Of the actions; none overlaps another.
};

// The item after the plan. All operands, and positions in lists, are those of the item before.
Result<Item> Apply(const UpdatePlan& plan, const Item& before);

}  // namespace mayfly::expressions
