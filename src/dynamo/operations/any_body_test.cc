// Goal: whatever the body, an operation answers with a reply or a named refusal, never with an
// internal error. Method: random JSON made of the names and values that operations know, for every
// operation; the seed is printed.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/random.h"
#include "dynamo/operations/operations.h"
#include "dynamo/testing/fake_service.h"

namespace mayfly::dynamo {
namespace {

constexpr std::array kNames = std::to_array<const char*>({
    "TableName",
    "Key",
    "Item",
    "Expected",
    "AttributeUpdates",
    "KeyConditions",
    "QueryFilter",
    "ScanFilter",
    "AttributesToGet",
    "ConditionExpression",
    "UpdateExpression",
    "Limit",
    "KeyConditionExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "RequestItems",
    "Keys",
    "PutRequest",
    "DeleteRequest",
    "TransactItems",
    "Put",
    "Get",
    "Update",
    "Delete",
    "ConditionCheck",
    "tab",
    "p",
    "s",
    "S",
    "N",
    "B",
    "L",
    "M",
    "SS",
    "NS",
    "BS",
    "BOOL",
    "NULL",
    "Value",
    "Exists",
    "Action",
    "ComparisonOperator",
    "AttributeValueList",
    "Tags",
    "ResourceArn",
    "StreamArn",
    "ShardIterator",
    "TimeToLiveSpecification",
    "Enabled",
    "TtlSeconds",
    "AttributeName",
    "AttributeDefinitions",
    "KeySchema",
    "GlobalSecondaryIndexUpdates",
    "Create",
    "Projection",
    "ProvisionedThroughput",
    "StreamSpecification",
    "ExclusiveStartKey",
    "Segment",
    "TotalSegments",
    "ReturnConsumedCapacity",
    "BillingMode",
    "IndexName",
    "Select",
    "Statement",
    "Statements",
    "TransactStatements",
    "Parameters",
});

constexpr std::array kValues = std::to_array<const char*>({
    R"("tab")",
    R"("a")",
    R"("1")",
    R"("")",
    "1",
    "-1",
    "0.5",
    "1e400",
    "true",
    "false",
    "null",
    "{}",
    "[]",
    R"("PAY_PER_REQUEST")",
    R"("TOTAL")",
    R"("EQ")",
    R"("HASH")",
    R"("AA==")",
    R"("PUT")",
    R"("arn:aws:dynamodb:mayfly:000000000000:table/tab")",
    R"("arn:|1|2")",
    R"({"S":"1"})",
    R"({"p":{"S":"1"},"s":{"S":"a"}})",
    "18446744073709551615",
    R"("SELECT * FROM tab WHERE p = ?")",
    R"("INSERT INTO tab VALUE {'p': '1', 's': 'a'}")",
    R"("UPDATE tab SET x = 1 WHERE p = '1' AND s = 'a'")",
    R"("\ud83d\ude00")",
});

std::string AnyJson(Random& random, int depth) {
  if (depth == 0 || random.OneIn(3)) return kValues[random.Below(kValues.size())];
  const bool is_list = random.OneIn(4);
  std::string text = is_list ? "[" : "{";
  for (std::uint64_t i = 0, count = random.Below(6); i < count; ++i) {
    if (i > 0) text += ",";
    if (!is_list) text += "\"" + std::string(kNames[random.Below(kNames.size())]) + "\":";
    text += AnyJson(random, depth - 1);
  }
  return text + (is_list ? "]" : "}");
}

// An object with a table's name, so that more than the first check is reached.
std::string AnyBody(Random& random) {
  std::string text = R"({"TableName":"tab")";
  for (std::uint64_t i = 0, count = random.Below(7); i < count; ++i) {
    const std::string name = kNames[1 + random.Below(kNames.size() - 1)];
    if (text.find("\"" + name + "\":") == std::string::npos) {
      text += ",\"" + name + "\":" + AnyJson(random, 4);
    }
  }
  return text + "}";
}

TEST(AnyBody, GetsAReplyOrANamedRefusal) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  FakeService service;
  std::uint64_t replies = 0;
  for (int round = 0; round < 400; ++round) {
    for (const Operation& operation : AllOperations()) {
      if (!service.tables.DescribeTable("tab")) service.CreateTable("tab");
      const std::string body = random.OneIn(20) ? AnyJson(random, 5) : AnyBody(random);
      const json::object reply =
          service.Call(std::string(operation.prefix) + "." + std::string(operation.name), body);
      ASSERT_TRUE(service.status == 200 || service.status == 400) << operation.name << " " << body;
      ASSERT_TRUE(service.status == 200 || reply.contains("__type")) << operation.name << body;
      if (service.status == 200) ++replies;
    }
  }
  EXPECT_GT(replies, 1000u);  // Or the bodies are all nonsense.
}

}  // namespace
}  // namespace mayfly::dynamo
