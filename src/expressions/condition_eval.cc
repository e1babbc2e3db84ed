// condition_eval.cc - evaluates a condition on an item.
#include <algorithm>
#include <optional>

#include "expressions/condition_node.h"
#include "items/compare.h"

namespace mayfly::expressions {
namespace {

using Kind = ConditionNode::Kind;

// An operand's value: a reference into the item or the condition, or a computed one.
class Value {
 public:
  Value(const Operand& operand, const Item& item) {
    switch (operand.kind) {
      case Operand::Kind::kPath: found_ = Find(item, operand.path); break;
      case Operand::Kind::kValue: found_ = operand.value.get(); break;
      default: {  // Conditions have size() and no other function.
        const Value argument(operand.arguments.front(), item);
        if (!argument) break;
        if (const auto size = SizeFunction(*argument)) computed_.emplace(Number(*size));
        break;
      }
    }
  }

  explicit operator bool() const { return found_ != nullptr || computed_.has_value(); }
  const AttributeValue& operator*() const { return computed_ ? *computed_ : *found_; }

 private:
  const AttributeValue* found_ = nullptr;
  std::optional<AttributeValue> computed_;
};

bool Equal(const Value& a, const Value& b) { return a && b && *a == *b; }

// Unordered if a value is missing, or the types differ.
std::partial_ordering Order(const Value& a, const Value& b) {
  return a && b ? items::Compare(*a, *b) : std::partial_ordering::unordered;
}

bool BeginsWith(const AttributeValue& whole, const AttributeValue& beginning) {
  if (whole.string() != nullptr && beginning.string() != nullptr) {
    return whole.string()->starts_with(*beginning.string());
  }
  if (whole.binary() != nullptr && beginning.binary() != nullptr) {
    return whole.binary()->bytes.starts_with(beginning.binary()->bytes);
  }
  return false;
}

bool Contains(const AttributeValue& whole, const AttributeValue& part) {
  switch (whole.type()) {
    case AttributeType::kString:
      return part.string() != nullptr && whole.string()->find(*part.string()) != std::string::npos;
    case AttributeType::kBinary:
      return part.binary() != nullptr &&
             whole.binary()->bytes.find(part.binary()->bytes) != std::string::npos;
    case AttributeType::kList: return std::ranges::find(*whole.list(), part) != whole.list()->end();
    case AttributeType::kStringSet:
      return part.string() != nullptr && whole.string_set()->contains(*part.string());
    case AttributeType::kNumberSet:
      return part.number() != nullptr && whole.number_set()->contains(*part.number());
    case AttributeType::kBinarySet:
      return part.binary() != nullptr && whole.binary_set()->contains(*part.binary());
    default: return false;
  }
}

bool HoldsForTwo(Kind kind, const Value& a, const Value& b) {
  switch (kind) {
    case Kind::kEqual: return Equal(a, b);
    case Kind::kNotEqual: return !Equal(a, b);
    case Kind::kLess: return Order(a, b) < 0;
    case Kind::kLessOrEqual: return Order(a, b) <= 0;
    case Kind::kGreater: return Order(a, b) > 0;
    case Kind::kGreaterOrEqual: return Order(a, b) >= 0;
    case Kind::kAttributeType: return a && AttributeTypeName((*a).type()) == *(*b).string();
    case Kind::kBeginsWith: return a && b && BeginsWith(*a, *b);
    case Kind::kContains: return a && b && Contains(*a, *b);
    default: return false;
  }
}

}  // namespace

bool Holds(const ConditionNode& node, const Item& item) {
  const auto holds = [&](const ConditionNode& child) { return Holds(child, item); };
  switch (node.kind) {
    case Kind::kAnd: return std::ranges::all_of(node.children, holds);
    case Kind::kOr: return std::ranges::any_of(node.children, holds);
    case Kind::kNot: return !holds(node.children.front());
    default: break;
  }
  const Value first(node.operands.front(), item);
  switch (node.kind) {
    case Kind::kAttributeExists: return static_cast<bool>(first);
    case Kind::kAttributeNotExists: return !first;
    case Kind::kBetween:
      return Order(first, Value(node.operands[1], item)) >= 0 &&
             Order(first, Value(node.operands[2], item)) <= 0;
    case Kind::kIn:
      return std::any_of(
          node.operands.begin() + 1, node.operands.end(),
          [&](const Operand& operand) { return Equal(first, Value(operand, item)); });
    default: return HoldsForTwo(node.kind, first, Value(node.operands[1], item));
  }
}

}  // namespace mayfly::expressions
