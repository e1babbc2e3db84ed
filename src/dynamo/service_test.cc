// Goal: every operation reads its request, calls the tables and words its reply as DynamoDB does.
// Method: the service on fake tables, which record their calls.
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/operations/operations.h"
#include "dynamo/service.h"
#include "dynamo/testing/fake_service.h"

namespace mayfly::dynamo {
namespace {

const std::string kItem = R"({"TableName":"tab","Item":{"p":{"S":"1"},"s":{"S":"a"}})";
const std::string kKey = R"({"TableName":"tab","Key":{"p":{"S":"1"},"s":{"S":"a"}})";

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() { service_.CreateTable("tab"); }
  FakeService service_;
  FakeTables& tables_ = service_.tables;
};

TEST_F(ServiceTest, RepliesCarryTheirChecksumAndAnId) {
  const http::Response response = service_.Answer("ListTables", "{}");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/x-amz-json-1.0");
  EXPECT_EQ(response.body, R"({"TableNames":["tab"]})");
  EXPECT_EQ(response.headers.Find("x-amz-crc32"), "1739884542");
  EXPECT_EQ(response.headers.Find("x-amzn-RequestId").size(), 52u);
  EXPECT_NE(response.headers.Find("x-amzn-RequestId"),
            service_.Answer("ListTables", "{}").headers.Find("x-amzn-RequestId"));
}

TEST_F(ServiceTest, WhatIsNoRequestIsRefusedInDynamosOrder) {
  EXPECT_EQ(
      service_.Error("NoSuchThing", "{"),
      "UnknownOperationException: The operation DynamoDB_20120810.NoSuchThing is not offered");
  EXPECT_EQ(service_.status, 400);
  EXPECT_TRUE(service_.Error("ListTables", "{").starts_with("SerializationException"));
  EXPECT_TRUE(service_.Error("ListTables", "").starts_with("SerializationException"));
  EXPECT_TRUE(service_.Error("ListTables", "[]").starts_with("SerializationException"));
  EXPECT_TRUE(service_.Error("DynamoDB_20111205.ListTables", "{}").starts_with("UnknownOperation"));
}

TEST_F(ServiceTest, ConstraintsAreToldTogether) {
  EXPECT_EQ(service_.Error("GetItem", "{}"),
            "ValidationException: 2 validation errors detected: Value null at 'tableName' failed "
            "to satisfy constraint: Member must not be null; Value null at 'key' failed to satisfy "
            "constraint: Member must not be null");
  EXPECT_EQ(
      service_.Error("Scan", R"({"TableName":"a;","Limit":0})"),
      "ValidationException: 3 validation errors detected: Value 'a;' at 'tableName' failed to "
      "satisfy constraint: Member must satisfy regular expression pattern: "
      "[a-zA-Z0-9_.-]+; Value 'a;' at 'tableName' failed to satisfy constraint: Member must "
      "have length greater than or equal to 3; Value '0' at 'limit' failed to satisfy "
      "constraint: Member must have value greater than or equal to 1");
  EXPECT_EQ(service_.Error("PutItem", kItem + R"(,"ReturnValues":"SOME"})"),
            "ValidationException: 1 validation error detected: Value 'SOME' at 'returnValues' "
            "failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, "
            "UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]");
  EXPECT_EQ(service_.Error("DescribeTable", R"({"TableName":5})"),
            "SerializationException: NUMBER_VALUE cannot be converted to String");
}

TEST_F(ServiceTest, StatusesBecomeNamedErrors) {
  EXPECT_EQ(service_.Error("DescribeTable", R"({"TableName":"none"})"),
            "ResourceNotFoundException: Requested resource not found: Table: none not found");
  EXPECT_EQ(service_.Error("GetItem", R"({"TableName":"none","Key":{"p":{"S":"1"}}})"),
            "ResourceNotFoundException: Requested resource not found");
  tables_.next_failure = Status::Busy("others keep changing it");
  EXPECT_EQ(service_.Error("PutItem", kItem + "}"),
            "TransactionConflictException: others keep changing it");
  tables_.next_failure = Status::Corruption("bad block");
  EXPECT_EQ(service_.Error("PutItem", kItem + "}"), "InternalServerError: bad block");
  EXPECT_EQ(service_.status, 500);
}

TEST_F(ServiceTest, ItemsAreWrittenAndRead) {
  EXPECT_EQ(service_.Text("PutItem", kItem + "}"), "{}");
  EXPECT_EQ(service_.Text("GetItem", kKey + "}"), R"({"Item":{"p":{"S":"1"},"s":{"S":"a"}}})");
  EXPECT_EQ(service_.Text("DeleteItem", kKey + R"(,"ReturnValues":"ALL_OLD"})"),
            R"({"Attributes":{"p":{"S":"1"},"s":{"S":"a"}}})");
  EXPECT_EQ(service_.Text("GetItem", kKey + "}"), "{}");
  EXPECT_EQ(service_.Error("PutItem", kItem + R"(,"ReturnValues":"ALL_NEW"})"),
            "ValidationException: Return values set to invalid value");
}

TEST_F(ServiceTest, AnArnIsAsGoodAsAName) {
  service_.Text("DescribeTable",
                R"({"TableName":"arn:aws:dynamodb:eu-west-1:123456789012:table/tab"})");
}

TEST_F(ServiceTest, AConditionThatDoesNotHoldIsAnErrorWithTheItem) {
  WriteOutcome outcome;
  outcome.written = false;
  outcome.attributes = Item{{"p", "1"}};
  tables_.next_outcome = outcome;
  const json::object reply =
      service_.Call("PutItem", kItem + R"json(,"ConditionExpression":"attribute_not_exists(p)",
          "ReturnValuesOnConditionCheckFailure":"ALL_OLD"})json");
  EXPECT_EQ(ToText(reply),
            R"({"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",)"
            R"("message":"The conditional request failed","Item":{"p":{"S":"1"}}})");
  EXPECT_EQ(tables_.put.condition, "attribute_not_exists(p)");
  EXPECT_EQ(tables_.put.on_failure, OnFailure::kAllOld);
}

TEST_F(ServiceTest, PlaceholdersGoWithExpressions) {
  EXPECT_EQ(service_.Error("PutItem", kItem + R"(,"ExpressionAttributeNames":{"#a":"a"}})"),
            "ValidationException: ExpressionAttributeNames can only be specified when using "
            "expressions");
  EXPECT_EQ(
      service_.Error("UpdateItem", kKey + R"(,"ExpressionAttributeValues":{":a":{"S":"a"}}})"),
      "ValidationException: ExpressionAttributeValues can only be specified when using "
      "expressions: UpdateExpression and ConditionExpression are null");
  EXPECT_EQ(service_.Error("PutItem", kItem + R"(,"ConditionExpression":""})"),
            "ValidationException: Invalid ConditionExpression: The expression can not be empty;");
  EXPECT_EQ(service_.Error("PutItem", kItem + R"(,"ConditionExpression":"a = :a",
                                   "ExpressionAttributeValues":{":a":{}}})"),
            "ValidationException: ExpressionAttributeValues contains invalid value: Supplied "
            "AttributeValue is empty, must contain exactly one of the supported datatypes for key "
            ":a");
}

TEST_F(ServiceTest, CapacityIsCountedFromSizes) {
  tables_.item_bytes = 5000;
  EXPECT_EQ(service_.Text("PutItem", kItem + R"(,"ReturnConsumedCapacity":"TOTAL"})"),
            R"({"ConsumedCapacity":{"CapacityUnits":5,"TableName":"tab"}})");
  const json::object read =
      service_.Call("GetItem", kKey + R"(,"ConsistentRead":true,"ProjectionExpression":"x",
                                        "ReturnConsumedCapacity":"INDEXES"})");
  EXPECT_EQ(ToText(read.at("ConsumedCapacity").as_object()),
            R"({"CapacityUnits":2,"TableName":"tab","Table":{"CapacityUnits":2}})");
  tables_.item_bytes = 100;
  const json::object half =
      service_.Call("GetItem", kKey + R"(,"ReturnConsumedCapacity":"TOTAL"})");
  EXPECT_EQ(half.at("ConsumedCapacity").at("CapacityUnits"), 0.5);
}

TEST_F(ServiceTest, BatchesSayWhatTheyLeft) {
  tables_.item_bytes = std::uint64_t{9} * 1024 * 1024;
  service_.Text("BatchWriteItem", R"({"RequestItems":{"tab":[
      {"PutRequest":{"Item":{"p":{"S":"1"},"s":{"S":"a"}}}},
      {"PutRequest":{"Item":{"p":{"S":"2"},"s":{"S":"a"}}}}]}})");
  EXPECT_EQ(service_.Text("BatchGetItem", R"({"RequestItems":{"tab":{"ConsistentRead":true,"Keys":[
      {"p":{"S":"1"},"s":{"S":"a"}},{"p":{"S":"2"},"s":{"S":"a"}}]}}})"),
            R"({"Responses":{"tab":[{"p":{"S":"1"},"s":{"S":"a"}}]},"UnprocessedKeys":{"tab":)"
            R"({"ConsistentRead":true,"Keys":[{"p":{"S":"2"},"s":{"S":"a"}}]}}})");
  EXPECT_EQ(service_.Error("BatchWriteItem", R"({"RequestItems":{"tab":[{}]}})"),
            "ValidationException: Supplied WriteRequest is empty, must contain exactly one of "
            "PutRequest and DeleteRequest");
}

TEST_F(ServiceTest, PagesHaveTheirLastKey) {
  ItemPage page;
  page.items = {Item{{"p", "1"}}};
  page.count = 1;
  page.scanned = 7;
  page.last_key = Item{{"p", "1"}, {"s", "z"}};
  tables_.next_page = page;
  EXPECT_EQ(service_.Text("Query", R"({"TableName":"tab","KeyConditionExpression":"p = :p",
      "ExpressionAttributeValues":{":p":{"S":"1"}},"ScanIndexForward":false,"Limit":3,
      "ExclusiveStartKey":{"p":{"S":"1"},"s":{"S":"b"}}})"),
            R"({"Count":1,"ScannedCount":7,"Items":[{"p":{"S":"1"}}],)"
            R"("LastEvaluatedKey":{"p":{"S":"1"},"s":{"S":"z"}}})");
  EXPECT_FALSE(tables_.query.forward);
  EXPECT_EQ(tables_.query.limit, 3u);
  EXPECT_EQ(tables_.query.start_after->at("s"), AttributeValue("b"));
  EXPECT_EQ(service_.Error("Query", R"({"TableName":"tab"})"),
            "ValidationException: Either the KeyConditions or KeyConditionExpression parameter "
            "must be specified in the request.");
  service_.Text("Scan", R"({"TableName":"tab","Segment":1,"TotalSegments":4,"Select":"COUNT"})");
  EXPECT_EQ(tables_.scan.segment, 1u);
  EXPECT_EQ(tables_.scan.segments, 4u);
  EXPECT_TRUE(tables_.scan.count_only);
}

TEST_F(ServiceTest, ATransactionTellsItsReasons) {
  const std::string body = R"({"ClientRequestToken":"once","TransactItems":[
      {"Put":{"TableName":"tab","Item":{"p":{"S":"1"}}}},
      {"ConditionCheck":{"TableName":"tab","Key":{"p":{"S":"2"}},"ConditionExpression":"a = b"}}]})";
  EXPECT_EQ(service_.Text("TransactWriteItems", body), "{}");
  EXPECT_EQ(tables_.token, "once");
  EXPECT_EQ(std::get<ConditionCheck>(tables_.transaction[1].action).condition, "a = b");
  TransactOutcome outcome;
  outcome.written = false;
  outcome.verdicts.resize(2);
  outcome.verdicts[1].reason = TransactOutcome::Reason::kConditionFailed;
  tables_.next_transaction = outcome;
  EXPECT_EQ(ToText(service_.Call("TransactWriteItems", body)),
            R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",)"
            R"("Message":"Transaction cancelled, please refer cancellation reasons for specific )"
            R"(reasons [None, ConditionalCheckFailed]","CancellationReasons":[{"Code":"None"},)"
            R"({"Code":"ConditionalCheckFailed","Message":"The conditional request failed"}]})");
  tables_.next_failure = Status::Conflict("other actions");
  EXPECT_TRUE(service_.Error("TransactWriteItems", body)
                  .starts_with("IdempotentParameterMismatchException"));
  EXPECT_EQ(service_.Error("TransactWriteItems", R"({"TransactItems":[{}]})"),
            "ValidationException: TransactItems can only contain one of Check, Put, Update or "
            "Delete");
}

TEST_F(ServiceTest, TheListOfOperationsIsWhatIsPromised) {
  std::set<std::string> names;
  for (const Operation& operation : AllOperations()) {
    names.insert(std::string(operation.name));
    const std::string target = std::string(operation.prefix) + "." + std::string(operation.name);
    EXPECT_EQ(FindOperation(target)->name, operation.name);
    EXPECT_TRUE(operation.summary.ends_with('.')) << operation.name;
    // Each replies to an empty object, or refuses it by name.
    const json::object reply = service_.Call(target, "{}");
    EXPECT_TRUE(service_.status == 200 || reply.contains("__type")) << operation.name;
    EXPECT_NE(service_.status, 500) << operation.name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"CreateTable",
                                          "DescribeTable",
                                          "ListTables",
                                          "UpdateTable",
                                          "DeleteTable",
                                          "PutItem",
                                          "GetItem",
                                          "UpdateItem",
                                          "DeleteItem",
                                          "BatchGetItem",
                                          "BatchWriteItem",
                                          "Query",
                                          "Scan",
                                          "TransactGetItems",
                                          "TransactWriteItems",
                                          "ExecuteStatement",
                                          "BatchExecuteStatement",
                                          "ExecuteTransaction",
                                          "UpdateTimeToLive",
                                          "DescribeTimeToLive",
                                          "TagResource",
                                          "UntagResource",
                                          "ListTagsOfResource",
                                          "DescribeEndpoints",
                                          "DescribeLimits",
                                          "DescribeContinuousBackups",
                                          "ListStreams",
                                          "DescribeStream",
                                          "GetShardIterator",
                                          "GetRecords",
                                          "SetTTL",
                                          "RemoveTTL",
                                          "GetTTL",
                                          "SweepExpiredTTL"}));
}

// Answers PutItem with what it was asked.
class EchoRunner final : public OperationRunner {
 public:
  bool Takes(const Operation& operation) const override { return operation.name == "PutItem"; }
  void Run(std::span<RunnerCall> calls) override {
    for (RunnerCall& call : calls) {
      call.status = 503;
      call.reply = R"({"asked":)" + call.json + "}";
    }
  }
};

TEST(Service, ARunnerAnswersWhatItTakesAndTheTablesTheRest) {
  EchoRunner runner;
  FakeService service({.runner = &runner});
  EXPECT_EQ(ToText(service.Call("PutItem", R"({"no":"shape"})")), R"({"asked":{"no":"shape"}})");
  EXPECT_EQ(service.status, 503);
  EXPECT_EQ(service.Text("ListTables", "{}"), R"({"TableNames":[]})");
}

TEST(Service, TellsOfEveryRequestOnce) {
  ManualClock real(WallTimeFromMs(0));
  std::vector<std::string> told;
  FakeService service(
      {.on_answered =
           [&](std::string_view operation, std::chrono::nanoseconds took, int status) {
             EXPECT_EQ(took.count(), 0) << "the clock stands";
             told.push_back(std::string(operation) + " " + std::to_string(status));
           },
       .real_clock = &real});
  service.Call("ListTables", "{}");
  service.Call("ListTables", "[]");
  service.Call("Made.Up", "{}");
  EXPECT_EQ(told, (std::vector<std::string>{"ListTables 200", "ListTables 400", " 400"}));
}

}  // namespace
}  // namespace mayfly::dynamo
