// Goal: while the store of a cluster is silent a server says so, answers what touches no row, and can be
// stopped. Method: a server with one thread over objects in memory, which the test stalls; real
// time, and short leases.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "cluster/shard_databases.h"
#include "engine/cluster/objects/testing/memory_objects.h"
#include "server/test_client.h"
#include "shards/served_member.h"

namespace mayfly::server {
namespace {

using engine::cluster::MemoryObjects;
using engine::cluster::MemoryObjectStore;
using std::chrono::milliseconds;

constexpr std::size_t kShards = 4;

class SilentStore : public testing::Test {
 protected:
  void SetUp() override {
    engine::cluster::NodeOptions node;
    node.format.database = "db";
    node.format.shards = kShards;
    node.format.ownership.lease = milliseconds(1500);
    node.format.ownership.takeover_wait = milliseconds(1700);
    node.format.ownership.renew_interval = milliseconds(300);
    node.format.ownership.early_renew_interval = milliseconds(50);
    node.format.ownership.observe_interval = milliseconds(200);
    node.format.ownership.counted_gap_max = milliseconds(500);
    node.format.ownership.request_timeout = milliseconds(200);
    node.format.ownership.request_pause_max = milliseconds(400);
    node.server = 1;
    node.clock = &SystemClock::Process();
    node.shard.while_waiting = [this] {
      ++lent;
      waiting.Serve();
    };
    shards =
        std::move(cluster::ShardDatabases::Open(store, node, {.clock = &SystemClock::Process()}))
            .value();
    member = std::make_unique<ServedMember>(ServedMember::Parts{.directory = *shards,
                                                                .clock = SystemClock::Process(),
                                                                .settings = settings,
                                                                .waiting_threads = &waiting});
    const Status joined = shards->Join({"127.0.0.1", member->port()}, nullptr);
    ASSERT_TRUE(joined.ok()) << joined.ToString();
    Await([&] { return shards->Here().size() == kShards && shards->health().store_answers; });
  }
  void TearDown() override {
    store->Resume();
    member.reset();
    shards.reset();
  }

  static void Await(const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!holds()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "in vain";
      std::this_thread::yield();
    }
  }

  // Its write waits for the store.
  void SendAndAwait(TestClient& client, const std::string& line) {
    const int before = lent;
    client.SendLine(line);
    Await([&] { return lent > before; });
  }

  std::atomic<int> lent{0};  // How often a thread that waits was.
  WaitingThreads waiting;
  const Served::Settings settings = {{"threads", "1"}, {"cluster-patience", "300"}};
  const std::shared_ptr<MemoryObjectStore> store =
      std::make_shared<MemoryObjectStore>(std::make_shared<MemoryObjects>());
  std::unique_ptr<cluster::ShardDatabases> shards;
  std::unique_ptr<ServedMember> member;
};

TEST_F(SilentStore, WhatTouchesNoRowIsAnsweredAndTheStateIsTold) {
  TestClient writer(member->port());
  TestClient client(member->port());
  TestClient reader(member->port());
  EXPECT_EQ(client.Text("SET key 1"), "OK");
  EXPECT_NE(client.Text("CLUSTER INFO").find("cluster_state:ok"), std::string::npos);
  store->Stall();
  SendAndAwait(writer, "INCR key");
  EXPECT_EQ(client.Text("PING"), "PONG");
  EXPECT_EQ(client.Text("ECHO a"), "a");
  EXPECT_NE(client.Text("INFO").find("redis_version"), std::string::npos);
  Await([&] { return !shards->health().store_answers; });
  const std::string info = client.Text("CLUSTER INFO");
  EXPECT_NE(info.find("cluster_state:fail"), std::string::npos) << info;
  EXPECT_NE(info.find("mayfly_store_state:silent"), std::string::npos) << info;
  EXPECT_NE(client.Text("INFO").find("mayfly_store_state:silent"), std::string::npos);
  // What touches rows is refused once it has waited, and its thread goes on.
  EXPECT_EQ(reader.Text("GET key"),
            "CLUSTERDOWN The store of the cluster does not answer; the command has not run");
  EXPECT_EQ(reader.Text("EVAL \"return 1\" 0"),
            "CLUSTERDOWN The store of the cluster does not answer; the command has not run");
  TestClient late(member->port());
  EXPECT_EQ(late.Text("PING"), "PONG");
  store->Resume();
  EXPECT_EQ(writer.ReadText(), "2");
  EXPECT_EQ(client.Text("GET key"), "2");
  Await([&] { return shards->health().store_answers; });
  EXPECT_NE(client.Text("CLUSTER INFO").find("cluster_state:ok"), std::string::npos);
}

// A stall that is shorter than the patience is only waited for.
TEST_F(SilentStore, CommandsThatWaitBesideAWriteRunOnceTheStoreAnswers) {
  TestClient writer(member->port());
  TestClient other(member->port());
  TestClient client(member->port());
  store->Stall();
  SendAndAwait(writer, "INCR key");
  other.SendLine("INCR key");
  client.SendLine("MULTI");
  EXPECT_EQ(client.ReadText(), "OK");
  client.SendLine("INCR key");
  EXPECT_EQ(client.ReadText(), "QUEUED");
  client.SendLine("EXEC");
  EXPECT_EQ(TestClient(member->port()).Text("PING"), "PONG");
  store->Resume();
  EXPECT_EQ(writer.ReadText(), "1");
  const std::string second = other.ReadText();
  const std::string third = client.ReadText();
  EXPECT_TRUE((second == "2" && third == "[3]") || (second == "3" && third == "[2]"))
      << second << " " << third;
}

TEST_F(SilentStore, AServerStopsThoughWritesWait) {
  TestClient writer(member->port());
  TestClient client(member->port());
  EXPECT_EQ(client.Text("SET key 1"), "OK");
  store->Stall();
  SendAndAwait(writer, "INCR key");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(shards->Leave(milliseconds(0)).ok());
  shards->GiveUp();
  const std::string reply = writer.ReadText();
  EXPECT_NE(reply.find("outcome is unknown"), std::string::npos) << reply;
  member->Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace mayfly::server
