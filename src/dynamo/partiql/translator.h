// translator.h - translates terms to DynamoDB's expressions, so that the tables have one evaluator.
//   "a" = 'x' AND b IS NOT MISSING   ->   #n0 = :v0 AND NOT attribute_not_exists(#n1)
// Names and values always become placeholders.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "dynamo/partiql/syntax.h"
#include "dynamo/partiql/values.h"
#include "mayfly/result.h"
#include "mayfly/tables.h"

namespace mayfly::partiql {

// One per request. Errors are Invalid, in DynamoDB's words.
class Translator {
 public:
  // Adds its placeholders to `arguments`. Both must outlive it.
  Translator(const Parameters& parameters, ExpressionArguments& arguments)
      : parameters_(parameters), arguments_(arguments) {
    arguments_.bounded = false;  // A statement has its own bounds.
  }

  // What WHERE, or a part of it, becomes.
  Result<std::string> Condition(const Term& term);
  // The conditions joined by AND; empty for none.
  Result<std::string> All(const std::vector<const Term*>& terms);
  // What the assignments of UPDATE become, altogether.
  Result<std::string> Update(const std::vector<UpdateStatement::Assignment>& assignments);

  std::string PathText(const Path& path);
  std::string NameText(const std::string& name);
  std::string ValueText(AttributeValue value);

 private:
  Result<std::string> Inner(const Term& term);
  Result<std::string> Joined(const Term& term, std::string_view joint);
  Result<std::string> Comparison(const Term& term);
  Result<std::string> Between(const Term& term);
  Result<std::string> In(const Term& term);
  Result<std::string> Call(const Term& term);
  Result<std::string> PathOf(const Term& term, std::string_view function);
  Result<std::string> Operand(const Term& term);
  Result<std::string> Ordered(const Term& term, std::string_view comparator);
  Result<std::string> Assigned(const Term& term);
  Result<std::string> SetMembers(const UpdateStatement::Assignment& assignment);

  const Parameters& parameters_;
  ExpressionArguments& arguments_;
  std::unordered_map<std::string, std::string> placeholders_;  // By name.
};

}  // namespace mayfly::partiql
