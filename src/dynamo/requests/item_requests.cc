#include "dynamo/requests/item_requests.h"

#include "dynamo/json/attribute_json.h"
#include "dynamo/requests/expression_input.h"

namespace mayfly::dynamo {
namespace {

const ExpressionParameters kWrite = {{"ConditionExpression"}, {"Expected", "ConditionalOperator"}};
const ExpressionParameters kUpdate = {{"UpdateExpression", "ConditionExpression"},
                                      {"AttributeUpdates", "Expected", "ConditionalOperator"}};
const ExpressionParameters kGet = {{"ProjectionExpression"}, {"AttributesToGet"}};
const ExpressionParameters kWriteInTransaction = {{"ConditionExpression"}, {}};
const ExpressionParameters kUpdateInTransaction = {{"UpdateExpression", "ConditionExpression"}, {}};
const ExpressionParameters kGetInTransaction = {{"ProjectionExpression"}, {}};

Outcome<ReturnValues> ReadReturnValues(const Fields& in, bool old_only) {
  const std::string text = in.Text("ReturnValues");
  if (old_only && !text.empty() && text != "ALL_OLD" && text != "NONE") {
    return Invalid("Return values set to invalid value");
  }
  if (text == "ALL_OLD") return ReturnValues::kAllOld;
  if (text == "ALL_NEW") return ReturnValues::kAllNew;
  if (text == "UPDATED_OLD") return ReturnValues::kUpdatedOld;
  if (text == "UPDATED_NEW") return ReturnValues::kUpdatedNew;
  return ReturnValues::kNone;
}

OnFailure ReadOnFailure(const Fields& in) {
  return in.Text("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" ? OnFailure::kAllOld
                                                                     : OnFailure::kNone;
}

}  // namespace

Outcome<PutItemRequest> ReadPut(const Fields& in, Place place) {
  PutItemRequest request;
  request.table = in.Name("TableName");
  const json::object& item = in.MapOrNone("Item");
  request.on_failure = ReadOnFailure(in);
  if (place == Place::kAlone) {
    MAYFLY_TRY(request.return_values, ReadReturnValues(in, true));
  }
  MAYFLY_TRY(ExpressionInput input,
             ReadExpressions(in, place == Place::kAlone ? kWrite : kWriteInTransaction));
  MAYFLY_TRY(request.item, ReadItem(item));
  request.condition = std::move(input.condition);
  request.arguments = std::move(input.arguments);
  return request;
}

Outcome<UpdateItemRequest> ReadUpdate(const Fields& in, Place place) {
  UpdateItemRequest request;
  request.table = in.Name("TableName");
  const json::object& key = in.MapOrNone("Key");
  request.on_failure = ReadOnFailure(in);
  if (place == Place::kAlone) {
    MAYFLY_TRY(request.return_values, ReadReturnValues(in, false));
  }
  MAYFLY_TRY(ExpressionInput input,
             ReadExpressions(in, place == Place::kAlone ? kUpdate : kUpdateInTransaction));
  MAYFLY_TRY(request.key, ReadItem(key));
  request.update = std::move(input.update);
  request.condition = std::move(input.condition);
  request.arguments = std::move(input.arguments);
  return request;
}

Outcome<DeleteItemRequest> ReadDelete(const Fields& in, Place place) {
  DeleteItemRequest request;
  request.table = in.Name("TableName");
  const json::object& key = in.MapOrNone("Key");
  request.on_failure = ReadOnFailure(in);
  if (place == Place::kAlone) {
    MAYFLY_TRY(request.return_values, ReadReturnValues(in, true));
  }
  MAYFLY_TRY(ExpressionInput input,
             ReadExpressions(in, place == Place::kAlone ? kWrite : kWriteInTransaction));
  MAYFLY_TRY(request.key, ReadItem(key));
  request.condition = std::move(input.condition);
  request.arguments = std::move(input.arguments);
  return request;
}

Outcome<GetItemRequest> ReadGet(const Fields& in, Place place) {
  GetItemRequest request;
  request.table = in.Name("TableName");
  const json::object& key = in.MapOrNone("Key");
  MAYFLY_TRY(ExpressionInput input,
             ReadExpressions(in, place == Place::kAlone ? kGet : kGetInTransaction));
  MAYFLY_TRY(request.key, ReadItem(key));
  request.projection = std::move(input.projection);
  request.arguments = std::move(input.arguments);
  return request;
}

Outcome<ConditionCheck> ReadConditionCheck(const Fields& in) {
  ConditionCheck check;
  check.table = in.Name("TableName");
  const json::object& key = in.MapOrNone("Key");
  check.on_failure = ReadOnFailure(in);
  MAYFLY_TRY(ExpressionInput input, ReadExpressions(in, kWriteInTransaction));
  MAYFLY_TRY(check.key, ReadItem(key));
  check.condition = std::move(input.condition);
  check.arguments = std::move(input.arguments);
  return check;
}

}  // namespace mayfly::dynamo
