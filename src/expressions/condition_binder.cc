// condition_binder.cc - binds and checks a condition: the second half of ParseCondition().
#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "base/check.h"
#include "expressions/binder.h"
#include "expressions/condition_node.h"
#include "expressions/syntax/limits.h"
#include "expressions/syntax/parser.h"
#include "expressions/syntax/word_check.h"
#include "items/compare.h"

namespace mayfly::expressions {
namespace {

using Kind = ConditionNode::Kind;

// In the order of ConditionNode::Kind.
constexpr std::array<std::string_view, 16> kOperatorNames = {"AND",
                                                             "OR",
                                                             "NOT",
                                                             "=",
                                                             "<>",
                                                             "<",
                                                             "<=",
                                                             ">",
                                                             ">=",
                                                             "BETWEEN",
                                                             "IN",
                                                             "attribute_exists",
                                                             "attribute_not_exists",
                                                             "attribute_type",
                                                             "begins_with",
                                                             "contains"};

Kind KindOf(std::string_view name) {
  for (std::size_t i = 0; i < kOperatorNames.size(); ++i) {
    if (kOperatorNames.at(i) == name) return static_cast<Kind>(i);
  }
  MAYFLY_CHECK(false, "an operator that passed without being known");
  return Kind::kAnd;
}

std::string DescribeBound(const AttributeValue& value) {
  const std::string_view type = AttributeTypeName(value.type());
  if (const auto* text = value.string())
    return fmt::format("AttributeValue: {{{}:{}}}", type, *text);
  if (const auto* number = value.number()) {
    return fmt::format("AttributeValue: {{{}:{}}}", type, number->text());
  }
  const std::size_t size = value.binary() != nullptr ? value.binary()->bytes.size() : 0;
  return fmt::format("AttributeValue: {{{}:java.nio.HeapByteBuffer[pos=0 lim={} cap={}]}}", type,
                     size, size);
}

class ConditionBinder {
 public:
  ConditionBinder(ExpressionKind kind, Arguments& arguments)
      : binder_(kind, arguments), bounded_(arguments.bounded()) {}

  Result<ConditionNode> Bind(const Node& in_parentheses) {
    const Node& node = Bare(in_parentheses);
    ConditionNode bound = {.kind = KindOf(node.text)};
    if (node.kind == Node::Kind::kNot || node.kind == Node::Kind::kAnd ||
        node.kind == Node::Kind::kOr) {
      for (const Node& child : node.children) {
        MAYFLY_TRY(ConditionNode bound_child, Bind(child));
        bound.children.push_back(std::move(bound_child));
      }
      return bound;
    }
    MAYFLY_TRY(bound.operands, binder_.BindOperands(node.children));
    MAYFLY_RETURN_IF_ERROR(Check(node, bound));
    return bound;
  }

 private:
  Status Check(const Node& node, const ConditionNode& bound) const {
    if (node.kind == Node::Kind::kFunction) {
      return binder_.CheckFunction(node.text, bound.operands);
    }
    if (bounded_ && bound.kind == Kind::kIn && bound.operands.size() - 1 > kInOperandsMax) {
      return binder_.Refuse(
          fmt::format("The IN operator is provided with too many operands; "
                      "number of operands: {}",
                      bound.operands.size() - 1));
    }
    MAYFLY_RETURN_IF_ERROR(binder_.CheckDistinct(node.text, bound.operands));
    if (bound.kind == Kind::kEqual || bound.kind == Kind::kNotEqual || bound.kind == Kind::kIn) {
      return {};
    }
    MAYFLY_RETURN_IF_ERROR(binder_.CheckTypes(
        node.text, bound.operands,
        {AttributeType::kString, AttributeType::kNumber, AttributeType::kBinary}));
    return bound.kind == Kind::kBetween ? CheckBounds(bound.operands[1], bound.operands[2])
                                        : Status();
  }

  Status CheckBounds(const Operand& lower, const Operand& upper) const {
    if (lower.kind != Operand::Kind::kValue || upper.kind != Operand::Kind::kValue) return {};
    std::string_view complaint;
    if (lower.value->type() != upper.value->type()) {
      complaint = "same data type for lower and upper bounds";
    } else if (items::Compare(*lower.value, *upper.value) > 0) {
      complaint = "upper bound to be greater than or equal to lower bound";
    } else {
      return {};
    }
    return binder_.Refuse(
        fmt::format("The BETWEEN operator requires {}; lower bound operand: {}, "
                    "upper bound operand: {}",
                    complaint, DescribeBound(*lower.value), DescribeBound(*upper.value)));
  }

  Binder binder_;
  const bool bounded_;
};

}  // namespace

std::string_view OperatorName(Kind kind) {
  return kOperatorNames.at(static_cast<std::size_t>(kind));
}

Result<ConditionNode> ParseCondition(std::string_view text, ExpressionKind kind,
                                     Arguments& arguments) {
  MAYFLY_TRY(const Node root, ParseConditionSyntax(text, kind, arguments.bounded()));
  MAYFLY_RETURN_IF_ERROR(CheckWords(root, kind, Position::kCondition));
  return ConditionBinder(kind, arguments).Bind(root);
}

}  // namespace mayfly::expressions
