// item_shapes.cc - requests on items: one, several, pages of them, transactions.
#include "dynamo/shapes/common_shapes.h"
#include "dynamo/shapes/request_shapes.h"

namespace mayfly::dynamo {
namespace {

constexpr std::array<std::string_view, 13> kComparisons = {
    "IN",       "NULL", "BETWEEN", "LT",          "NOT_CONTAINS", "EQ",      "GT",
    "NOT_NULL", "NE",   "LE",      "BEGINS_WITH", "GE",           "CONTAINS"};
constexpr Shape kComparison = {.kind = Shape::Kind::kString, .values = kComparisons};
constexpr std::array<std::string_view, 2> kJoints = {"OR", "AND"};
constexpr Shape kJoint = {.kind = Shape::Kind::kString, .values = kJoints};
constexpr std::array<std::string_view, 5> kReturned = {"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE",
                                                       "UPDATED_NEW"};
constexpr Shape kReturnedValues = {.kind = Shape::Kind::kString, .values = kReturned};
constexpr std::array<std::string_view, 3> kActions = {"ADD", "DELETE", "PUT"};
constexpr Shape kAction = {.kind = Shape::Kind::kString, .values = kActions};
constexpr std::array<std::string_view, 4> kSelections = {
    "SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"};
constexpr Shape kSelection = {.kind = Shape::Kind::kString, .values = kSelections};

constexpr Shape kAttributesToGet = ListOf(kText, 1, 255);
constexpr Shape kSegmentsInAll = {.kind = Shape::Kind::kInteger, .min = 1, .max = 1'000'000};
constexpr Shape kSegment = {.kind = Shape::Kind::kInteger, .min = 0, .max = 999'999};

constexpr std::array kConditionMembers = std::to_array<Member>({
    {"AttributeValueList", &kValues},
    {"ComparisonOperator", &kComparison, kRequired},
});
constexpr Shape kCondition = StructureOf(kConditionMembers, "Condition");
constexpr Shape kConditions = MapOf(kCondition);

constexpr std::array kExpectedMembers = std::to_array<Member>({
    {"AttributeValueList", &kValues},
    {"ComparisonOperator", &kComparison},
    {"Exists", &kBoolean},
    {"Value", &kAttributeValue},
});
constexpr Shape kExpectedOne = StructureOf(kExpectedMembers, "ExpectedAttributeValue");
constexpr Shape kExpected = MapOf(kExpectedOne);

constexpr std::array kUpdateMembers = std::to_array<Member>({
    {"Action", &kAction},
    {"Value", &kAttributeValue},
});
constexpr Shape kAttributeUpdate = StructureOf(kUpdateMembers, "AttributeValueUpdate");
constexpr Shape kAttributeUpdates = MapOf(kAttributeUpdate);

// Of one item.

constexpr std::array kPutItem = std::to_array<Member>({
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"TableName", &kName, kRequired},
    {"Item", &kItem, kRequired},
    {"ConditionalOperator", &kJoint},
    {"Expected", &kExpected},
    {"ReturnValues", &kReturnedValues},
    {"ReturnValuesOnConditionCheckFailure", &kOnCheckFailure},
    {"ReturnItemCollectionMetrics", &kCollectionMetrics},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeValues", &kItem},
    {"ExpressionAttributeNames", &kNames},
});

constexpr std::array kGetItem = std::to_array<Member>({
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"AttributesToGet", &kAttributesToGet},
    {"TableName", &kName, kRequired},
    {"Key", &kItem, kRequired},
    {"ConsistentRead", &kBoolean},
    {"ProjectionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
});

constexpr std::array kUpdateItem = std::to_array<Member>({
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"TableName", &kName, kRequired},
    {"ReturnItemCollectionMetrics", &kCollectionMetrics},
    {"ReturnValues", &kReturnedValues},
    {"ReturnValuesOnConditionCheckFailure", &kOnCheckFailure},
    {"Key", &kItem, kRequired},
    {"ConditionalOperator", &kJoint},
    {"Expected", &kExpected},
    {"AttributeUpdates", &kAttributeUpdates},
    {"ConditionExpression", &kText},
    {"UpdateExpression", &kText},
    {"ExpressionAttributeValues", &kItem},
    {"ExpressionAttributeNames", &kNames},
});

constexpr std::array kDeleteItem = std::to_array<Member>({
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"TableName", &kName, kRequired},
    {"ReturnItemCollectionMetrics", &kCollectionMetrics},
    {"ReturnValues", &kReturnedValues},
    {"ReturnValuesOnConditionCheckFailure", &kOnCheckFailure},
    {"Key", &kItem, kRequired},
    {"ConditionalOperator", &kJoint},
    {"Expected", &kExpected},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeValues", &kItem},
    {"ExpressionAttributeNames", &kNames},
});

// Pages.

constexpr std::array kQuery = std::to_array<Member>({
    {"Select", &kSelection},
    {"IndexName", &kName},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"QueryFilter", &kConditions},
    {"TableName", &kName, kRequired},
    {"ConditionalOperator", &kJoint},
    {"AttributesToGet", &kAttributesToGet},
    {"Limit", &kPositive},
    {"KeyConditions", &kConditions},
    {"ExclusiveStartKey", &kItem},
    {"ConsistentRead", &kBoolean},
    {"ScanIndexForward", &kBoolean},
    {"KeyConditionExpression", &kText},
    {"FilterExpression", &kText},
    {"ProjectionExpression", &kText},
    {"ExpressionAttributeValues", &kItem},
    {"ExpressionAttributeNames", &kNames},
});

constexpr std::array kScan = std::to_array<Member>({
    {"Select", &kSelection},
    {"IndexName", &kName},
    {"TotalSegments", &kSegmentsInAll},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"TableName", &kName, kRequired},
    {"ConditionalOperator", &kJoint},
    {"ScanFilter", &kConditions},
    {"Segment", &kSegment},
    {"Limit", &kPositive},
    {"AttributesToGet", &kAttributesToGet},
    {"ExclusiveStartKey", &kItem},
    {"ConsistentRead", &kBoolean},
    {"FilterExpression", &kText},
    {"ProjectionExpression", &kText},
    {"ExpressionAttributeValues", &kItem},
    {"ExpressionAttributeNames", &kNames},
});

// Batches.

constexpr Shape kKeys = ListOf(kItem, 1, 100);
constexpr std::array kKeysMembers = std::to_array<Member>({
    {"Keys", &kKeys, kRequired},
    {"AttributesToGet", &kAttributesToGet},
    {"ConsistentRead", &kBoolean},
    {"ProjectionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
});
constexpr Shape kKeysAndAttributes = StructureOf(kKeysMembers, "KeysAndAttributes");
constexpr Shape kWantedItems = {.kind = Shape::Kind::kMap,
                                .class_name = "KeysAndAttributes",
                                .element = &kKeysAndAttributes,
                                .length_min = 1,
                                .keys_are_names = true};
constexpr std::array kBatchGetItem = std::to_array<Member>({
    {"RequestItems", &kWantedItems, kRequired},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
});

constexpr std::array kDeleteRequestMembers = std::to_array<Member>({{"Key", &kItem, kRequired}});
constexpr Shape kDeleteRequest = StructureOf(kDeleteRequestMembers, "DeleteRequest");
constexpr std::array kPutRequestMembers = std::to_array<Member>({{"Item", &kItem, kRequired}});
constexpr Shape kPutRequest = StructureOf(kPutRequestMembers, "PutRequest");
constexpr std::array kWriteRequestMembers = std::to_array<Member>({
    {"DeleteRequest", &kDeleteRequest},
    {"PutRequest", &kPutRequest},
});
constexpr Shape kWriteRequest = StructureOf(kWriteRequestMembers, "WriteRequest");
constexpr Shape kWriteRequests = ListOf(kWriteRequest);
constexpr Shape kWrittenItems = {
    .kind = Shape::Kind::kMap,
    .class_name = "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>",
    .element = &kWriteRequests,
    .length_min = 1,
    .keys_are_names = true,
    .element_length_max = 25};
constexpr std::array kBatchWriteItem = std::to_array<Member>({
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"ReturnItemCollectionMetrics", &kCollectionMetrics},
    {"RequestItems", &kWrittenItems, kRequired},
});

// Transactions.

constexpr std::array kTransactPutMembers = std::to_array<Member>({
    {"Item", &kItem, kRequired},
    {"TableName", &kName, kRequired},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kItem},
    {"ReturnValuesOnConditionCheckFailure", &kOnCheckFailure},
});
constexpr Shape kTransactPut = StructureOf(kTransactPutMembers, "Put");
constexpr std::array kTransactUpdateMembers = std::to_array<Member>({
    {"Key", &kItem, kRequired},
    {"UpdateExpression", &kText, kRequired},
    {"TableName", &kName, kRequired},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kItem},
    {"ReturnValuesOnConditionCheckFailure", &kOnCheckFailure},
});
constexpr Shape kTransactUpdate = StructureOf(kTransactUpdateMembers, "Update");
constexpr std::array kTransactDeleteMembers = std::to_array<Member>({
    {"Key", &kItem, kRequired},
    {"TableName", &kName, kRequired},
    {"ConditionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kItem},
    {"ReturnValuesOnConditionCheckFailure", &kOnCheckFailure},
});
constexpr Shape kTransactDelete = StructureOf(kTransactDeleteMembers, "Delete");
constexpr std::array kCheckMembers = std::to_array<Member>({
    {"Key", &kItem, kRequired},
    {"TableName", &kName, kRequired},
    {"ConditionExpression", &kText, kRequired},
    {"ExpressionAttributeNames", &kNames},
    {"ExpressionAttributeValues", &kItem},
    {"ReturnValuesOnConditionCheckFailure", &kOnCheckFailure},
});
constexpr Shape kConditionCheck = StructureOf(kCheckMembers, "ConditionCheck");
constexpr std::array kTransactWriteMembers = std::to_array<Member>({
    {"ConditionCheck", &kConditionCheck},
    {"Put", &kTransactPut},
    {"Delete", &kTransactDelete},
    {"Update", &kTransactUpdate},
});
constexpr Shape kTransactWriteItem = StructureOf(kTransactWriteMembers, "TransactWriteItem");
constexpr Shape kTransactWriteList = ListOf(kTransactWriteItem, 1, 100);
constexpr std::array kTransactWriteItems = std::to_array<Member>({
    {"ClientRequestToken", &kRequestToken},
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"ReturnItemCollectionMetrics", &kCollectionMetrics},
    {"TransactItems", &kTransactWriteList, kRequired},
});

constexpr std::array kTransactGetOneMembers = std::to_array<Member>({
    {"Key", &kItem, kRequired},
    {"TableName", &kName, kRequired},
    {"ProjectionExpression", &kText},
    {"ExpressionAttributeNames", &kNames},
});
constexpr Shape kTransactGetOne = StructureOf(kTransactGetOneMembers, "Get");
constexpr std::array kTransactGetMembers =
    std::to_array<Member>({{"Get", &kTransactGetOne, kRequired}});
constexpr Shape kTransactGetItem = StructureOf(kTransactGetMembers, "TransactGetItem");
constexpr Shape kTransactGetList = ListOf(kTransactGetItem, 1, 100);
constexpr std::array kTransactGetItems = std::to_array<Member>({
    {"ReturnConsumedCapacity", &kConsumedCapacity},
    {"TransactItems", &kTransactGetList, kRequired},
});

}  // namespace

constexpr Shape kPutItemShape = StructureOf(kPutItem);
constexpr Shape kGetItemShape = StructureOf(kGetItem);
constexpr Shape kUpdateItemShape = StructureOf(kUpdateItem);
constexpr Shape kDeleteItemShape = StructureOf(kDeleteItem);
constexpr Shape kQueryShape = StructureOf(kQuery);
constexpr Shape kScanShape = StructureOf(kScan);
constexpr Shape kBatchGetItemShape = StructureOf(kBatchGetItem);
constexpr Shape kBatchWriteItemShape = StructureOf(kBatchWriteItem);
constexpr Shape kTransactGetItemsShape = StructureOf(kTransactGetItems);
constexpr Shape kTransactWriteItemsShape = StructureOf(kTransactWriteItems);

}  // namespace mayfly::dynamo
