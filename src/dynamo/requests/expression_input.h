// expression_input.h - the expressions of a request, in either of DynamoDB's two forms.
// The current form is text with placeholders. The legacy form is objects (Expected,
// AttributeUpdates, KeyConditions, QueryFilter, ScanFilter, AttributesToGet), which are translated
// to such text (legacy.h), so that the tables know one form. A request with both is refused, unless
// the legacy one is about keys alone.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/json/fields.h"
#include "mayfly/tables.h"

namespace mayfly::dynamo {

// The parameters of both forms that an operation takes, in the order messages name them.
struct ExpressionParameters {
  std::initializer_list<std::string_view> expressions;
  std::initializer_list<std::string_view> legacy;
};

// In either form; empty where the request has none.
struct ExpressionInput {
  std::string condition;
  std::string filter;
  std::string key_condition;
  std::string update;
  std::string projection;
  ExpressionArguments arguments;
};

// Refused: both forms, placeholders without expressions, empty expressions.
Outcome<ExpressionInput> ReadExpressions(const Fields& in, const ExpressionParameters& parameters);

}  // namespace mayfly::dynamo
