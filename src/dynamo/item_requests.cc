#include "dynamo/item_requests.h"

#include "dynamo/attribute_json.h"
#include "dynamo/expression_input.h"
#include "dynamo/refusal.h"

namespace mayfly::dynamo {
namespace {

const ExpressionParameters kWrite = {
    {"ConditionExpression" },
    { "Expected", "ConditionalOperator"}
};
const ExpressionParameters kUpdate = {
    {"UpdateExpression", "ConditionExpression"},
    { "AttributeUpdates",        "Expected", "ConditionalOperator"}
};
const ExpressionParameters kGet = {{"ProjectionExpression"}, {"AttributesToGet"}};
const ExpressionParameters kWriteInTransaction = {{"ConditionExpression"}, {}};
const ExpressionParameters kUpdateInTransaction = {
    {"UpdateExpression", "ConditionExpression"},
    {                  }
};
const ExpressionParameters kGetInTransaction = {{"ProjectionExpression"}, {}};

ReturnValues ReadReturnValues(const Fields& in, bool old_only) {
  const std::string text =
      in.OneOf("ReturnValues", {"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"});
  in.Check();
  if (old_only && !text.empty() && text != "ALL_OLD" && text != "NONE") {
    throw Invalid("Return values set to invalid value");
  }
  if (text == "ALL_OLD") return ReturnValues::kAllOld;
  if (text == "ALL_NEW") return ReturnValues::kAllNew;
  if (text == "UPDATED_OLD") return ReturnValues::kUpdatedOld;
  if (text == "UPDATED_NEW") return ReturnValues::kUpdatedNew;
  return ReturnValues::kNone;
}

OnFailure ReadOnFailure(const Fields& in) {
  return in.OneOf("ReturnValuesOnConditionCheckFailure", {"ALL_OLD", "NONE"}) == "ALL_OLD"
             ? OnFailure::kAllOld
             : OnFailure::kNone;
}

// Asked for and left alone: there is nothing to tell, but a wrong word is refused.
void ReadItemCollectionMetrics(const Fields& in) {
  in.OneOf("ReturnItemCollectionMetrics", {"SIZE", "NONE"});
}

}  // namespace

PutItemRequest ReadPut(const Fields& in, Place place) {
  PutItemRequest request;
  request.table = in.Name("TableName");
  const json::object& item = in.RequiredMap("Item");
  request.on_failure = ReadOnFailure(in);
  ReadItemCollectionMetrics(in);
  if (place == Place::kAlone) request.return_values = ReadReturnValues(in, true);
  in.Check();
  const ExpressionInput input(in, place == Place::kAlone ? kWrite : kWriteInTransaction);
  request.item = ReadItem(item);
  request.condition = input.Condition();
  request.arguments = input.arguments();
  return request;
}

UpdateItemRequest ReadUpdate(const Fields& in, Place place) {
  UpdateItemRequest request;
  request.table = in.Name("TableName");
  const json::object& key = in.RequiredMap("Key");
  request.on_failure = ReadOnFailure(in);
  ReadItemCollectionMetrics(in);
  if (place == Place::kAlone) {
    request.return_values = ReadReturnValues(in, false);
  } else {
    in.RequiredString("UpdateExpression");
  }
  in.Check();
  const ExpressionInput input(in, place == Place::kAlone ? kUpdate : kUpdateInTransaction);
  request.key = ReadItem(key);
  request.update = input.Update();
  request.condition = input.Condition();
  request.arguments = input.arguments();
  return request;
}

DeleteItemRequest ReadDelete(const Fields& in, Place place) {
  DeleteItemRequest request;
  request.table = in.Name("TableName");
  const json::object& key = in.RequiredMap("Key");
  request.on_failure = ReadOnFailure(in);
  ReadItemCollectionMetrics(in);
  if (place == Place::kAlone) request.return_values = ReadReturnValues(in, true);
  in.Check();
  const ExpressionInput input(in, place == Place::kAlone ? kWrite : kWriteInTransaction);
  request.key = ReadItem(key);
  request.condition = input.Condition();
  request.arguments = input.arguments();
  return request;
}

GetItemRequest ReadGet(const Fields& in, Place place) {
  GetItemRequest request;
  request.table = in.Name("TableName");
  const json::object& key = in.RequiredMap("Key");
  in.Check();
  const ExpressionInput input(in, place == Place::kAlone ? kGet : kGetInTransaction);
  request.key = ReadItem(key);
  request.projection = input.Projection();
  request.arguments = input.arguments();
  return request;
}

ConditionCheck ReadConditionCheck(const Fields& in) {
  ConditionCheck check;
  check.table = in.Name("TableName");
  const json::object& key = in.RequiredMap("Key");
  in.RequiredString("ConditionExpression");
  check.on_failure = ReadOnFailure(in);
  in.Check();
  const ExpressionInput input(in, kWriteInTransaction);
  check.key = ReadItem(key);
  check.condition = input.Condition();
  check.arguments = input.arguments();
  return check;
}

}  // namespace mayfly::dynamo
