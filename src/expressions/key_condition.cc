#include "expressions/key_condition.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "expressions/condition_node.h"

namespace mayfly::expressions {
namespace {

using Kind = ConditionNode::Kind;

// One attribute and its operands, the attribute on the left.
struct OneKey {
  std::string attribute;
  Kind kind = Kind::kEqual;
  std::vector<AttributeValue> values;
};

// Conditions joined by AND, ignoring parentheses.
Status Flatten(const ConditionNode& node, std::vector<const ConditionNode*>& conditions) {
  switch (node.kind) {
    case Kind::kAnd:
      for (const ConditionNode& child : node.children) {
        MAYFLY_RETURN_IF_ERROR(Flatten(child, conditions));
      }
      return {};
    case Kind::kEqual:
    case Kind::kLess:
    case Kind::kLessOrEqual:
    case Kind::kGreater:
    case Kind::kGreaterOrEqual:
    case Kind::kBetween:
    case Kind::kBeginsWith: conditions.push_back(&node); return {};
    default:
      return Status::Invalid(fmt::format("Invalid operator used in KeyConditionExpression: {}",
                                         OperatorName(node.kind)));
  }
}

Kind Mirrored(Kind kind) {
  switch (kind) {
    case Kind::kLess: return Kind::kGreater;
    case Kind::kLessOrEqual: return Kind::kGreaterOrEqual;
    case Kind::kGreater: return Kind::kLess;
    case Kind::kGreaterOrEqual: return Kind::kLessOrEqual;
    default: return kind;
  }
}

Status WrongCondition(std::string_view complaint) {
  return Status::Invalid(fmt::format("Invalid condition in KeyConditionExpression: {}", complaint));
}

Result<OneKey> ReadOneKey(const ConditionNode& node) {
  OneKey key = {.attribute = {}, .kind = node.kind, .values = {}};
  bool found = false;
  for (const Operand& operand : node.operands) {
    const bool first = &operand == &node.operands.front();
    if (operand.kind == Operand::Kind::kValue) {
      if (first && (node.kind == Kind::kBetween || node.kind == Kind::kBeginsWith)) {
        return WrongCondition(
            fmt::format("{} operator must have the key attribute as its first operand",
                        OperatorName(node.kind)));
      }
      if (first) key.kind = Mirrored(node.kind);
      key.values.push_back(*operand.value);
    } else if (operand.kind == Operand::Kind::kPath) {
      if (found) return WrongCondition("Multiple attribute names used in one condition");
      if (operand.path.steps.size() > 1) {
        return Status::Invalid(
            "KeyConditionExpressions cannot have conditions on nested attributes");
      }
      key.attribute = operand.path.attribute();
      found = true;
    } else {
      return Status::Invalid("KeyConditionExpressions cannot contain nested operations");
    }
  }
  if (!found) return WrongCondition("No key attribute specified");
  return key;
}

// The condition of each attribute.
Result<std::map<std::string, OneKey>> ReadKeys(const ConditionNode& root) {
  std::vector<const ConditionNode*> conditions;
  MAYFLY_RETURN_IF_ERROR(Flatten(root, conditions));
  std::map<std::string, OneKey> keys;
  for (const ConditionNode* condition : conditions) {
    MAYFLY_TRY(OneKey key, ReadOneKey(*condition));
    std::string attribute = key.attribute;
    if (!keys.emplace(std::move(attribute), std::move(key)).second) {
      return Refused(ExpressionKind::kKeyCondition,
                     "KeyConditionExpressions must only contain one condition per key");
    }
  }
  return keys;
}

AttributeType TypeOf(KeyType type) {
  switch (type) {
    case KeyType::kString: return AttributeType::kString;
    case KeyType::kNumber: return AttributeType::kNumber;
    case KeyType::kBinary: return AttributeType::kBinary;
  }
  return AttributeType::kString;
}

Status CheckValues(const OneKey& key, const KeyAttribute& schema) {
  for (const AttributeValue& value : key.values) {
    if (value.type() != TypeOf(schema.type)) {
      return Status::Invalid(
          "One or more parameter values were invalid: Condition parameter type does not match "
          "schema type");
    }
    const bool string = value.string() != nullptr && value.string()->empty();
    const bool binary = value.binary() != nullptr && value.binary()->bytes.empty();
    if (string || binary) {
      return Status::Invalid(fmt::format(
          "One or more parameter values are not valid. The AttributeValue for a key attribute "
          "cannot contain an empty {} value. Key: {}",
          string ? "string" : "binary", schema.name));
    }
  }
  return {};
}

SortCondition::Kind SortKind(Kind kind) {
  switch (kind) {
    case Kind::kLess: return SortCondition::Kind::kLess;
    case Kind::kLessOrEqual: return SortCondition::Kind::kLessOrEqual;
    case Kind::kGreater: return SortCondition::Kind::kGreater;
    case Kind::kGreaterOrEqual: return SortCondition::Kind::kGreaterOrEqual;
    case Kind::kBetween: return SortCondition::Kind::kBetween;
    case Kind::kBeginsWith: return SortCondition::Kind::kBeginsWith;
    default: return SortCondition::Kind::kEqual;
  }
}

Status MissedElement(const std::string& name) {
  return Status::Invalid("Query condition missed key schema element: " + name);
}

Status NotSupported() { return Status::Invalid("Query key condition not supported"); }

}  // namespace

Status CheckKeyCondition(std::string_view text, Arguments& arguments) {
  MAYFLY_TRY(const ConditionNode root,
             ParseCondition(text, ExpressionKind::kKeyCondition, arguments));
  return ReadKeys(root).status();
}

Result<KeyCondition> KeyCondition::Parse(std::string_view text, const KeyAttribute& partition,
                                         const std::optional<KeyAttribute>& sort,
                                         Arguments& arguments) {
  MAYFLY_TRY(const ConditionNode root,
             ParseCondition(text, ExpressionKind::kKeyCondition, arguments));
  MAYFLY_TRY(auto keys, ReadKeys(root));
  if (keys.size() > 2) {
    return Status::Invalid(
        fmt::format("The number of query conditions ({}) exceeds the number of "
                    "key attributes defined in the schema ({})",
                    keys.size(), sort ? 2 : 1));
  }
  if (!sort && keys.size() > 1) return NotSupported();
  const auto one = keys.find(partition.name);
  if (one == keys.end()) return MissedElement(partition.name);
  MAYFLY_RETURN_IF_ERROR(CheckValues(one->second, partition));
  if (one->second.kind != Kind::kEqual) return NotSupported();
  KeyCondition condition = {.partition = std::move(one->second.values.front()),
                            .sort = std::nullopt};
  if (keys.size() == 1) return condition;
  const auto other = keys.find(sort->name);
  if (other == keys.end()) return MissedElement(sort->name);
  MAYFLY_RETURN_IF_ERROR(CheckValues(other->second, *sort));
  std::vector<AttributeValue>& values = other->second.values;
  condition.sort =
      SortCondition{.kind = SortKind(other->second.kind),
                    .value = std::move(values.front()),
                    .upper = values.size() > 1 ? std::move(values.back()) : AttributeValue()};
  return condition;
}

}  // namespace mayfly::expressions
