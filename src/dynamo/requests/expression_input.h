// expression_input.h - the expressions of a request, in either of DynamoDB's two manners.
// Today's are texts with placeholders. The older ones are objects (Expected, AttributeUpdates,
// KeyConditions, QueryFilter, ScanFilter, AttributesToGet), which become such texts (legacy.h), so
// that the tables know one manner. A request that has both is refused, unless the older one is
// about keys alone.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/json/fields.h"
#include "mayfly/tables.h"

namespace mayfly::dynamo {

// Which of both an operation takes, in the order messages name them.
struct ExpressionParameters {
  std::initializer_list<std::string_view> expressions;
  std::initializer_list<std::string_view> legacy;
};

// Of whichever manner; empty where the request has none.
struct ExpressionInput {
  std::string condition;
  std::string filter;
  std::string key_condition;
  std::string update;
  std::string projection;
  ExpressionArguments arguments;
};

// Refused: both manners, placeholders without expressions, expressions that are empty.
Outcome<ExpressionInput> ReadExpressions(const Fields& in, const ExpressionParameters& parameters);

}  // namespace mayfly::dynamo
