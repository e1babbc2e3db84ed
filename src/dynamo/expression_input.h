// expression_input.h - the expressions of a request, in either of DynamoDB's two manners.
// Today's are texts with placeholders. The older ones are objects (Expected, AttributeUpdates,
// KeyConditions, QueryFilter, ScanFilter, AttributesToGet), which become such texts (legacy.h), so
// that the tables know one manner. A request that has both is refused.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/fields.h"
#include "mayfly/tables.h"

namespace mayfly::dynamo {

// Which of both an operation takes, in the order messages name them.
struct ExpressionParameters {
  std::initializer_list<std::string_view> expressions;
  std::initializer_list<std::string_view> legacy;
};

class ExpressionInput {
 public:
  // Throws: both manners, placeholders without expressions, expressions that are empty.
  ExpressionInput(const Fields& in, const ExpressionParameters& parameters);

  // Of whichever manner; empty when the request has none.
  std::string Condition() const { return Either("ConditionExpression", condition_); }
  std::string Filter() const { return Either("FilterExpression", filter_); }
  std::string KeyCondition() const { return Either("KeyConditionExpression", key_condition_); }
  std::string Update() const { return Either("UpdateExpression", update_); }
  std::string Projection() const { return Either("ProjectionExpression", projection_); }

  const ExpressionArguments& arguments() const { return arguments_; }

 private:
  std::string Either(std::string_view expression, const std::string& translated) const;
  void CheckManner() const;
  void CheckArguments() const;
  void ReadArguments();
  void Translate();

  const Fields& in_;
  const ExpressionParameters& parameters_;
  ExpressionArguments arguments_;
  std::string condition_;
  std::string filter_;
  std::string key_condition_;
  std::string update_;
  std::string projection_;
};

}  // namespace mayfly::dynamo
