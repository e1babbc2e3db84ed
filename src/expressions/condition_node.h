// condition_node.h - a parsed and checked condition.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "expressions/syntax/arguments.h"
#include "expressions/syntax/expression_kind.h"
#include "expressions/syntax/operand.h"
#include "mayfly/result.h"

namespace mayfly::expressions {

struct ConditionNode {
  enum class Kind : std::uint8_t {
    kAnd,
    kOr,
    kNot,
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kBetween,
    kIn,
    kAttributeExists,
    kAttributeNotExists,
    kAttributeType,
    kBeginsWith,
    kContains,
  };
  Kind kind = Kind::kAnd;
  std::vector<ConditionNode> children = {};  // Of kAnd, kOr, kNot.
  std::vector<Operand> operands = {};        // Of the others.
};

// As it is written: "AND", "<=", "begins_with".
std::string_view OperatorName(ConditionNode::Kind kind);

// Parses and checks a condition, filter or key condition.
Result<ConditionNode> ParseCondition(std::string_view text, ExpressionKind kind,
                                     Arguments& arguments);

// A missing item counts as an empty one.
bool Holds(const ConditionNode& node, const Item& item);

}  // namespace mayfly::expressions
