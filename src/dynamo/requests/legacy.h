// legacy.h - translates the legacy parameters to expressions.
//   Expected {"a": {"Value": {"N": "1"}}, "b": {"Exists": false}}
//     ->  #m0 = :m0 AND attribute_not_exists(#m1)
// The names of attributes always become placeholders: any name may be a reserved word.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dynamo/json/json.h"
#include "dynamo/json/refusal.h"
#include "mayfly/tables.h"

namespace mayfly::dynamo {

// One per request. Refuses what DynamoDB refuses.
class LegacyTranslator {
 public:
  // Adds its placeholders to `arguments`, which must outlive it, beside those of the request.
  explicit LegacyTranslator(ExpressionArguments& arguments) : arguments_(arguments) {}

  // `joined_by` is " AND " or " OR ". Empty conditions give an empty expression.
  Outcome<std::string> Expected(const json::object& expected, std::string_view joined_by);
  Outcome<std::string> Filter(const json::object& conditions, std::string_view joined_by);
  Outcome<std::string> KeyConditions(const json::object& conditions);
  Outcome<std::string> Updates(const json::object& updates);
  Outcome<std::string> Attributes(const std::vector<std::string>& names);

 private:
  std::string Name(std::string_view attribute);
  std::string Value(AttributeValue value);
  Outcome<std::string> Compare(std::string_view attribute, std::string_view comparison,
                               const json::array* operands);
  Outcome<std::string> ExpectedOne(std::string_view attribute, const json::value& wanted);

  ExpressionArguments& arguments_;
  std::unordered_map<std::string, std::string> placeholders_;  // By attribute.
  std::size_t next_name_ = 0;
  std::size_t next_value_ = 0;
};

}  // namespace mayfly::dynamo
