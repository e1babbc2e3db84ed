// arguments.h - a request's placeholders, and which of them were used by its expressions.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "mayfly/item.h"
#include "mayfly/status.h"
#include "mayfly/tables.h"

namespace mayfly::expressions {

// One per request; its expressions are parsed with it, one after the other. The arguments must
// outlive it.
class Arguments {
 public:
  explicit Arguments(const ExpressionArguments& given) : given_(given) {}

  // Whether the bounds of limits.h hold for the expressions.
  bool bounded() const { return given_.bounded; }

  // Null when there is none; otherwise marks it as used.
  const std::string* Name(const std::string& placeholder);
  std::shared_ptr<const AttributeValue> Value(const std::string& placeholder);

  // Checks the placeholders: "#" or ":" and letters, digits, underscores; their size, and that of
  // their values. Invalid, in DynamoDB's words.
  Status CheckForm() const;

  // Invalid, naming those that no expression used. `any_expression` false: the request has none,
  // which has its own message.
  Status CheckAllUsed(bool any_expression) const;

 private:
  Status CheckSize() const;

  const ExpressionArguments& given_;
  std::set<std::string> used_names_;
  // Copied once, however often an expression names it; shared with its operands.
  std::map<std::string, std::shared_ptr<const AttributeValue>> used_values_;
};

}  // namespace mayfly::expressions
