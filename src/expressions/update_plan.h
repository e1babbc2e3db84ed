// update_plan.h - an update that is ready to be applied.
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
  std::size_t clause = 0;  // Which of the clauses, as they are written.
  Path path;
  Operand operand;  // Nothing of kRemove.
};

struct UpdatePlan {
  std::vector<UpdateAction> actions;
  std::vector<Path> paths;  // Of the actions; none overlaps another.
};

// The item after the plan. All operands, and places in lists, are those of the item before.
Result<Item> Apply(const UpdatePlan& plan, const Item& before);

}  // namespace mayfly::expressions
