// Goal: every request about items gets the slot of its partition keys, the same on every server and
// for every spelling of a key; one that is wrong in itself gets none.
// Method: requests as JSON, and schemas that the test gives.
#include "cluster/tables/item_routes.h"

#include <gtest/gtest.h>

#include <string>

#include "cluster/tables/table_rules.h"
#include "dynamo/operations/operations.h"

namespace mayfly::cluster {
namespace {

class GivenSchemas final : public KeySchemas {
 public:
  std::optional<tables::ReadSchema> Find(const std::string& table,
                                         const std::string& index) override {
    if (table == "none" || index == "none") return std::nullopt;
    tables::ReadSchema schema{.partition = table == "users" ? "u" : "p", .sort = "s"};
    if (table == "numbers") schema.partition_type = KeyType::kNumber;
    schema.is_index = !index.empty();
    schema.is_local = index == "local";
    if (schema.is_local) schema.sort = "points";
    return schema;
  }
};

ItemRoute Routed(std::string_view operation, const std::string& request) {
  GivenSchemas schemas;
  const auto body = dynamo::ParseJson(request);
  EXPECT_TRUE(body.has_value()) << request;
  return RouteOf(RuleOf(operation), dynamo::Fields(body->get_object()), schemas);
}

std::optional<engine::Slot> Slot(std::string_view operation, const std::string& request) {
  const ItemRoute route = Routed(operation, request);
  EXPECT_FALSE(route.several_slots) << request;
  return route.slot;
}

TEST(ItemRoutes, EveryOperationHasARule) {
  for (const dynamo::Operation& operation : dynamo::AllOperations()) {
    const TableRule& rule = RuleOf(operation.name);
    EXPECT_EQ(rule.operation, operation.name);
    const bool has_detail = rule.reach == TableReach::kItem || rule.reach == TableReach::kRefused;
    EXPECT_EQ(!rule.detail.empty(), has_detail) << operation.name;
    // What writes is never answered by tables that are in no shard.
    EXPECT_FALSE(operation.writes && rule.reach == TableReach::kServer) << operation.name;
  }
}

TEST(ItemRoutes, ASlotIsThatOfThePartitionKeyInEveryTable) {
  const auto slot = engine::SlotOf("7");
  EXPECT_EQ(Slot("GetItem", R"({"TableName":"tab","Key":{"p":{"S":"7"},"s":{"S":"x"}}})"), slot);
  EXPECT_EQ(Slot("PutItem", R"({"TableName":"users","Item":{"u":{"S":"7"},"p":{"S":"8"}}})"), slot);
  EXPECT_EQ(Slot("DeleteItem", R"({"TableName":"tab","Key":{"p":{"B":"Nw=="}}})"), slot);
  for (const char* const number : {"7", "7.0", "+7e0", "0.7E1"}) {
    EXPECT_EQ(Slot("UpdateItem",
                   R"({"TableName":"numbers","Key":{"p":{"N":")" + std::string(number) + R"("}}})"),
              slot)
        << number;
  }
  EXPECT_EQ(Slot("GetItem", R"({"TableName":"arn:aws:dynamodb:r:000000000000:table/users",
                                "Key":{"u":{"S":"7"}}})"),
            slot);
}

TEST(ItemRoutes, BracesPutItemsTogether) {
  EXPECT_EQ(Slot("GetItem", R"({"TableName":"tab","Key":{"p":{"S":"order:{42}:x"}}})"),
            Slot("GetItem", R"({"TableName":"users","Key":{"u":{"S":"user:{42}"}}})"));
}

TEST(ItemRoutes, WhatIsNoItemOfATableHasNone) {
  EXPECT_FALSE(Slot("GetItem", R"({"TableName":"none","Key":{"p":{"S":"7"}}})"));
  EXPECT_FALSE(Slot("GetItem", R"({"TableName":"tab","Key":{"q":{"S":"7"}}})"));
  EXPECT_FALSE(Slot("GetItem", R"({"TableName":"tab","Key":{"p":{"BOOL":true}}})"));
  EXPECT_FALSE(Slot("GetItem", R"({"TableName":"tab","Key":{"p":{"S":"7","N":"7"}}})"));
}

TEST(ItemRoutes, AQueryHasTheSlotOfItsPartition) {
  const auto slot = engine::SlotOf("7");
  EXPECT_EQ(Slot("Query", R"({"TableName":"tab","KeyConditionExpression":"s > :s AND #p = :p",
                              "ExpressionAttributeNames":{"#p":"p"},
                              "ExpressionAttributeValues":{":p":{"S":"7"},":s":{"S":"a"}}})"),
            slot);
  EXPECT_EQ(Slot("Query", R"({"TableName":"tab","IndexName":"local",
                              "KeyConditionExpression":"p = :p AND points = :r",
                              "ExpressionAttributeValues":{":p":{"S":"7"},":r":{"S":"a"}}})"),
            slot);
  EXPECT_EQ(Slot("Query", R"({"TableName":"tab","KeyConditions":{"p":{
                              "ComparisonOperator":"EQ","AttributeValueList":[{"S":"7"}]}}})"),
            slot);
  EXPECT_FALSE(Slot("Query", R"({"TableName":"tab","KeyConditionExpression":"q = :p",
                                 "ExpressionAttributeValues":{":p":{"S":"7"}}})"));
  const ItemRoute global = Routed("Query", R"({"TableName":"tab","IndexName":"global",
                                 "KeyConditionExpression":"p = :p",
                                 "ExpressionAttributeValues":{":p":{"S":"7"}}})");
  EXPECT_TRUE(global.all_shards);
  EXPECT_FALSE(global.slot);
}

TEST(ItemRoutes, ATransactionHasOneSlotOrSeveral) {
  const std::string put = R"({"Put":{"TableName":"tab","Item":{"p":{"S":"a{1}"}}}},)";
  const auto with = [&](const std::string& user) {
    return "{\"TransactItems\":[" + put +
           R"({"ConditionCheck":{"TableName":"users","Key":{"u":{"S":")" + user + "\"}}}}]}";
  };
  EXPECT_EQ(Slot("TransactWriteItems", with("b{1}")), engine::SlotOf("1"));
  EXPECT_TRUE(Routed("TransactWriteItems", with("b{2}")).several_slots);
  EXPECT_FALSE(Slot("TransactWriteItems", "{\"TransactItems\":[" + put + "{}]}"));
}

}  // namespace
}  // namespace mayfly::cluster
