// Goal: what servers ask of each other's tables runs in the right shard and once: an item in no other
// shard than its own, a change of definitions in its order, whoever sends it again.
// Method: a client that speaks as a server does (CLUSTER PEER, CLUSTER TABLE) to one of two servers
// over shards in memory; the test has no server that settles changes, where it sends them itself.
#include <gtest/gtest.h>

#include <string>

#include "shards/cluster_served.h"

namespace mayfly::server {
namespace {

const std::string kTables = "DynamoDB_20120810.";
const std::string kCreate = R"({"TableName":"tab","BillingMode":"PAY_PER_REQUEST",)"
                            R"("AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}],)"
                            R"("KeySchema":[{"AttributeName":"p","KeyType":"HASH"}]})";

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

class ShardTablesTest : public testing::Test {
 protected:
  ShardTablesTest() { peer.Text("CLUSTER PEER"); }

  // "[200, {...}]"
  std::string Ask(std::size_t shard, const std::string& target, const std::string& json) {
    return peer.Text("CLUSTER TABLE " + std::to_string(shard) + " " + target + " " + Quoted(json));
  }
  std::string Follow(std::size_t shard, int number, const std::string& operation,
                     const std::string& json) {
    return Ask(shard, "Cluster.Follow",
               "{\"Number\":" + std::to_string(number) + ",\"Target\":\"" + kTables + operation +
                   "\",\"Json\":" + Quoted(json) + "}");
  }
  std::string Put(std::size_t shard, const std::string& key) {
    return Ask(shard, kTables + "PutItem",
               R"({"TableName":"tab","Item":{"p":{"S":")" + key + "\"}}}");
  }
  std::string Count(std::size_t shard) {
    return Ask(shard, kTables + "Scan", R"({"TableName":"tab","Select":"COUNT"})");
  }

  ClusterServed served;
  TestClient peer{served.port(0)};  // Of the shards 0 and 2.
};

TEST_F(ShardTablesTest, OnlyServersMayAsk) {
  TestClient client(served.port(0));
  EXPECT_EQ(client.Text("CLUSTER TABLE 2 Cluster.Schema {}"),
            "ERR CLUSTER TABLE is for the servers of the cluster");
  EXPECT_EQ(peer.Text("CLUSTER TABLE 9 Cluster.Schema {}"), "ERR there is no such shard");
  EXPECT_TRUE(peer.Text("CLUSTER TABLE 2 Cluster.Schema {} x").starts_with("ERR wrong number"));
  EXPECT_EQ(Ask(1, "Cluster.Schema", "{}"), "MOVED 4096 " + served.AddressOf(1));
  EXPECT_TRUE(Ask(2, "Nothing.Known", "{}").starts_with("[400, "));
}

TEST_F(ShardTablesTest, AnItemRunsInItsShardAlone) {
  EXPECT_EQ(Follow(2, 1, "CreateTable", kCreate), R"([200, {"Settled":true}])");
  EXPECT_EQ(Put(2, served.KeyIn(2)), "[200, {}]");
  EXPECT_EQ(Put(2, served.KeyIn(0)), "[421, ]");
  EXPECT_EQ(Put(2, served.KeyIn(1)), "[421, ]");
  EXPECT_EQ(Count(2), R"([200, {"Count":1,"ScannedCount":1}])");
  const std::string both = R"({"RequestItems":{"tab":[{"PutRequest":{"Item":{"p":{"S":")" +
                           served.KeyIn(2, "a") + R"("}}}},{"PutRequest":{"Item":{"p":{"S":")" +
                           served.KeyIn(0) + R"("}}}}]}})";
  EXPECT_EQ(Ask(2, kTables + "BatchWriteItem", both), "[421, ]");
  EXPECT_EQ(Count(2), R"([200, {"Count":1,"ScannedCount":1}])");
}

TEST_F(ShardTablesTest, AChangeRunsOnceAndNoneAfterALaterOne) {
  EXPECT_EQ(Follow(2, 1, "CreateTable", kCreate), R"([200, {"Settled":true}])");
  EXPECT_EQ(Put(2, served.KeyIn(2)), "[200, {}]");
  EXPECT_EQ(Follow(2, 1, "CreateTable", kCreate), R"([200, {"Settled":true}])");
  EXPECT_EQ(Count(2), R"([200, {"Count":1,"ScannedCount":1}])");
  EXPECT_EQ(Follow(2, 2, "DeleteTable", R"({"TableName":"tab"})"), R"([200, {"Settled":true}])");
  EXPECT_EQ(Follow(2, 3, "CreateTable", kCreate), R"([200, {"Settled":true}])");
  EXPECT_EQ(Put(2, served.KeyIn(2)), "[200, {}]");
  // The server that had the home shard before sends it late.
  EXPECT_EQ(Follow(2, 2, "DeleteTable", R"({"TableName":"tab"})"), R"([200, {"Settled":true}])");
  EXPECT_EQ(Count(2), R"([200, {"Count":1,"ScannedCount":1}])");
}

TEST_F(ShardTablesTest, AChangeThatRanWithoutANoteOfItIsDone) {
  // The tables have it, and the number was not stored: a server died in between.
  EXPECT_EQ(Follow(2, 1, "CreateTable", kCreate), R"([200, {"Settled":true}])");
  EXPECT_EQ(Follow(2, 2, "CreateTable", kCreate), R"([200, {"Settled":true}])");
  EXPECT_EQ(Follow(2, 3, "DeleteTable", R"({"TableName":"tab"})"), R"([200, {"Settled":true}])");
  EXPECT_EQ(Follow(2, 4, "DeleteTable", R"({"TableName":"tab"})"), R"([200, {"Settled":true}])");
  EXPECT_TRUE(Count(2).starts_with("[400, "));
}

TEST_F(ShardTablesTest, AShardTakesItsTablesAlong) {
  EXPECT_EQ(Follow(2, 1, "CreateTable", kCreate), R"([200, {"Settled":true}])");
  EXPECT_EQ(Put(2, served.KeyIn(2)), "[200, {}]");
  served.shards().Give(2, 1);
  EXPECT_EQ(Count(2), "MOVED 8192 " + served.AddressOf(1));
  TestClient other(served.port(1));
  other.Text("CLUSTER PEER");
  EXPECT_EQ(other.Text("CLUSTER TABLE 2 " + kTables + "Scan " +
                       Quoted(R"({"TableName":"tab","Select":"COUNT"})")),
            R"([200, {"Count":1,"ScannedCount":1}])");
  served.shards().Give(2, 0);
  EXPECT_EQ(Follow(2, 1, "DeleteTable", R"({"TableName":"tab"})"), R"([200, {"Settled":true}])");
  EXPECT_EQ(Count(2), R"([200, {"Count":1,"ScannedCount":1}])");
}

TEST_F(ShardTablesTest, SeveralCallsRunTogether) {
  EXPECT_EQ(Follow(2, 1, "CreateTable", kCreate), R"([200, {"Settled":true}])");
  const auto put = [&](const std::string& name) {
    return " " + kTables + "PutItem " +
           Quoted(R"({"TableName":"tab","Item":{"p":{"S":")" + served.KeyIn(2, name) + "\"}}}");
  };
  EXPECT_EQ(peer.Text("CLUSTER TABLE 2" + put("a") + put("b") + put("c")),
            "[200, {}, 200, {}, 200, {}]");
  EXPECT_EQ(Count(2), R"([200, {"Count":3,"ScannedCount":3}])");
}

}  // namespace
}  // namespace mayfly::server
