// condition.h - ConditionExpression and FilterExpression.
//   a = :v   a <> b   a < :v   a BETWEEN :x AND :y   a IN (:x, :y)
//   NOT ...   ... AND ...   ... OR ...
//   attribute_exists(a)   attribute_not_exists(a)   attribute_type(a, :t)
//   begins_with(a, :p)   contains(a, :v)   size(a) > :n
// Errors are Invalid, with DynamoDB's texts; they begin "Invalid ConditionExpression: " or "Invalid
// FilterExpression: ".
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "expressions/syntax/arguments.h"
#include "mayfly/item.h"
#include "mayfly/result.h"

namespace mayfly::expressions {

struct ConditionNode;  // In condition_node.h; for the parser and the evaluator.

class Condition {
 public:
  enum class Role : std::uint8_t { kCondition, kFilter };

  // An empty text is Invalid, too: the caller knows whether there was an expression at all.
  static Result<Condition> Parse(std::string_view text, Role role, Arguments& arguments);

  Condition(Condition&&) noexcept;
  Condition& operator=(Condition&&) noexcept;
  ~Condition();

  // A missing item counts as an empty one.
  bool Holds(const Item& item) const;

  // First steps of all its paths: a filter must not name keys.
  std::set<std::string> Attributes() const;

 private:
  explicit Condition(std::unique_ptr<const ConditionNode> root);

  std::unique_ptr<const ConditionNode> root_;
};

}  // namespace mayfly::expressions
