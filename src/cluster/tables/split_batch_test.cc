// Goal: a batch is split so that each shard gets its items and no others, with all that is said beside
// them, and the replies add up to one. Method: batches as JSON, of a table whose key is "p".
#include "cluster/tables/split_batch.h"

#include <gtest/gtest.h>

#include <string>

namespace mayfly::cluster {
namespace {

namespace json = dynamo::json;

constexpr std::size_t kShards = 4;

class KeyedByP final : public KeySchemas {
 public:
  std::optional<tables::ReadSchema> Find(const std::string& table,
                                         const std::string& /*index*/) override {
    if (table == "none") return std::nullopt;
    return tables::ReadSchema{.partition = "p"};
  }
};

json::object Parsed(const std::string& text) { return dynamo::ParseJson(text)->get_object(); }

BatchParts Split(const std::string& operation, const std::string& request) {
  KeyedByP schemas;
  return SplitBatch(Parsed(request), RuleOf(operation), kShards, schemas);
}

std::string KeyIn(std::size_t shard) {
  for (int i = 0;; ++i) {
    const std::string key = std::to_string(i);
    if (server::ShardOf(engine::SlotOf(key), kShards) == shard) return key;
  }
}

std::string Key(std::size_t shard) { return R"({"p":{"S":")" + KeyIn(shard) + "\"}}"; }

TEST(SplitBatch, ReadsGoToTheirShardsWithWhatIsSaidBeside) {
  const auto parts =
      Split("BatchGetItem", R"({"ReturnConsumedCapacity":"TOTAL","RequestItems":{"one":{"Keys":[)" +
                                Key(1) + "," + Key(3) +
                                R"(],"ConsistentRead":true},"two":{"Keys":[)" + Key(3) + "]}}}");
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(dynamo::ToText(parts.at(1)),
            R"({"ReturnConsumedCapacity":"TOTAL","RequestItems":{"one":{"ConsistentRead":true,)"
            R"("Keys":[)" +
                Key(1) + "]}}}");
  EXPECT_EQ(dynamo::ToText(parts.at(3)),
            R"({"ReturnConsumedCapacity":"TOTAL","RequestItems":{"one":{"ConsistentRead":true,)"
            R"("Keys":[)" +
                Key(3) + R"(]},"two":{"Keys":[)" + Key(3) + "]}}}");
}

TEST(SplitBatch, WritesGoToTheirShards) {
  const std::string put = R"({"PutRequest":{"Item":)" + Key(0) + "}}";
  const std::string remove = R"({"DeleteRequest":{"Key":)" + Key(2) + "}}";
  const auto parts =
      Split("BatchWriteItem", R"({"RequestItems":{"one":[)" + put + "," + remove + "]}}");
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(dynamo::ToText(parts.at(0)), R"({"RequestItems":{"one":[)" + put + "]}}");
  EXPECT_EQ(dynamo::ToText(parts.at(2)), R"({"RequestItems":{"one":[)" + remove + "]}}");
}

TEST(SplitBatch, ABatchWithAnItemOfNoShardIsNotSplit) {
  EXPECT_TRUE(Split("BatchGetItem",
                    R"({"RequestItems":{"one":{"Keys":[)" + Key(1) + R"(,{"q":{"S":"a"}}]}}})")
                  .empty());
  EXPECT_TRUE(Split("BatchWriteItem", R"({"RequestItems":{"one":[{}]}})").empty());
  EXPECT_TRUE(
      Split("BatchGetItem", R"({"RequestItems":{"none":{"Keys":[)" + Key(1) + "]}}}").empty());
}

TEST(SplitBatch, RepliesAddUp) {
  json::object whole;
  AddReply(whole, Parsed(R"({"Responses":{"a":[1],"b":[]},"UnprocessedKeys":{},"Count":2,
      "ConsumedCapacity":[{"TableName":"a","CapacityUnits":0.5}]})"));
  AddReply(whole, Parsed(R"({"Responses":{"a":[2]},"UnprocessedKeys":{"a":{"Keys":[3]}},"Count":3,
      "ConsumedCapacity":[{"TableName":"b","CapacityUnits":1},
                          {"TableName":"a","CapacityUnits":1}]})"));
  AddReply(whole,
           NothingDone(Parsed(R"({"RequestItems":{"a":{"Keys":[4]}}})"), RuleOf("BatchGetItem")));
  EXPECT_EQ(dynamo::ToText(whole),
            R"({"Responses":{"a":[1,2],"b":[]},"UnprocessedKeys":{"a":{"Keys":[3,4]}},"Count":5,)"
            R"("ConsumedCapacity":[{"TableName":"a","CapacityUnits":1.5E0},)"
            R"({"TableName":"b","CapacityUnits":1}]})");
}

TEST(SplitBatch, ItemsAreCountedOverAllTables) {
  EXPECT_EQ(CountItems(Parsed(R"({"RequestItems":{"a":{"Keys":[1,2]},"b":{"Keys":[3]}}})")), 3U);
  EXPECT_EQ(CountItems(Parsed(R"({"RequestItems":{"a":[{},{}]}})")), 2U);
}

}  // namespace
}  // namespace mayfly::cluster
