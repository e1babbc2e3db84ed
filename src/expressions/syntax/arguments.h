// arguments.h - a request's placeholders, and which of them its expressions have used.
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

  // Null when there is none; otherwise it counts as used.
  const std::string* Name(const std::string& placeholder);
  std::shared_ptr<const AttributeValue> Value(const std::string& placeholder);

  // The placeholders themselves: "#" or ":" and letters, digits, underscores. Their size, and that
  // of what they stand for. Invalid, in DynamoDB's words.
  Status CheckForm() const;

  // Invalid, naming those that no expression used. `any_expression` false: there was none at all,
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
