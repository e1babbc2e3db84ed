// Goal: keys decide where commands run, and a client is told so in Redis Cluster's words. Method: two
// servers over four shards in memory, of which server 0 has the even ones; clients that follow MOVED.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "shards/cluster_served.h"

namespace mayfly::server {
namespace {

constexpr const char* kCrossSlot = "CROSSSLOT Keys in request don't hash to the same slot";

class Placement : public testing::Test {
 protected:
  Placement() { client.Text("READONLY"); }

  std::string Moved(const std::string& key, std::size_t server) {
    return "MOVED " + std::to_string(engine::SlotOf(key)) + " " + served.AddressOf(server);
  }

  ClusterServed served;
  TestClient client{served.port(0)};
  const std::string here = served.KeyIn(0);
  const std::string also_here = served.KeyIn(2);
  const std::string there = served.KeyIn(1);
};

TEST_F(Placement, KeysOfShardsHereAreServedAndOthersAreMoved) {
  EXPECT_EQ(client.Text("SET " + here + " 1"), "OK");
  EXPECT_EQ(client.Text("SET " + also_here + " 2"), "OK");
  EXPECT_EQ(client.Text("GET " + here), "1");
  EXPECT_EQ(client.Text("GET " + also_here), "2");
  EXPECT_EQ(client.Text("GET " + there), Moved(there, 1));
  EXPECT_EQ(client.Text("SET " + there + " 3"), Moved(there, 1));
  TestClient other(served.port(1));
  other.Text("READONLY");
  EXPECT_EQ(other.Text("SET " + there + " 3"), "OK");
  EXPECT_EQ(other.Text("GET " + here), Moved(here, 0));
}

TEST_F(Placement, KeysOfOneCommandAreInOneSlot) {
  EXPECT_EQ(client.Text("MSET " + here + " 1 " + also_here + " 2"), kCrossSlot);
  EXPECT_EQ(client.Text("MSET {" + here + "}a 1 {" + here + "}b 2"), "OK");
  EXPECT_EQ(client.Text("MGET {" + here + "}a {" + here + "}b"), "[1, 2]");
  EXPECT_EQ(client.Text("EXISTS " + here + " " + there), kCrossSlot);
}

TEST_F(Placement, APipelineOverManyShardsKeepsItsOrder) {
  for (std::size_t i = 0; i < 200; ++i) {
    client.SendLine("INCR " + served.KeyIn(i % 4, "n"));
    client.SendLine("PING " + std::to_string(i));
  }
  for (std::size_t i = 0; i < 200; ++i) {
    const std::string key = served.KeyIn(i % 4, "n");
    const std::string expected = i % 2 == 0 ? std::to_string(i / 4 + 1) : Moved(key, 1);
    EXPECT_EQ(client.ReadText(), expected) << i;
    EXPECT_EQ(client.ReadText(), std::to_string(i));
  }
}

TEST_F(Placement, ATransactionHasOneSlot) {
  client.Text("MULTI");
  EXPECT_EQ(client.Text("INCR {" + here + "}a"), "QUEUED");
  EXPECT_EQ(client.Text("INCR {" + here + "}b"), "QUEUED");
  EXPECT_EQ(client.Text("EXEC"), "[1, 1]");

  client.Text("MULTI");
  EXPECT_EQ(client.Text("INCR " + here), "QUEUED");
  EXPECT_EQ(client.Text("INCR " + also_here), "QUEUED");
  EXPECT_EQ(client.Text("EXEC"), kCrossSlot);
  EXPECT_EQ(client.Text("GET " + here), "(nil)");
  EXPECT_EQ(client.Text("EXEC"), "ERR EXEC without MULTI");

  client.Text("MULTI");
  EXPECT_EQ(client.Text("INCR " + there), Moved(there, 1));
  EXPECT_EQ(client.Text("EXEC"), "EXECABORT Transaction discarded because of previous errors.");

  client.Text("MULTI");
  EXPECT_EQ(client.Text("DBSIZE"),
            "ERR 'dbsize' is about all shards, and a transaction on a cluster is about one slot");
  client.Text("DISCARD");
  client.Text("MULTI");
  client.Text("PING");
  EXPECT_EQ(client.Text("EXEC"), "[PONG]");
}

TEST_F(Placement, AWatchEndsWithTheShardsStay) {
  client.Text("SET " + here + " 1");
  EXPECT_EQ(client.Text("WATCH " + here), "OK");
  client.Text("MULTI");
  client.Text("INCR " + here);
  served.shards().Give(0, 1);
  served.shards().Give(0, 0);
  EXPECT_EQ(client.Text("EXEC"), "(nil array)");
  EXPECT_EQ(client.Text("GET " + here), "1");

  client.Text("WATCH " + here);
  client.Text("MULTI");
  client.Text("INCR " + here);
  EXPECT_EQ(client.Text("EXEC"), "[2]");
  EXPECT_EQ(client.Text("WATCH " + there), Moved(there, 1));
}

TEST_F(Placement, AScriptHasTheSlotOfItsKeys) {
  EXPECT_EQ(client.Text("EVAL \"return redis.call('INCR', KEYS[1])\" 1 " + here), "1");
  EXPECT_EQ(client.Text("EVAL \"return 1\" 1 " + there), Moved(there, 1));
  EXPECT_EQ(client.Text("EVAL \"return 1\" 2 " + here + " " + also_here), kCrossSlot);
  EXPECT_EQ(client.Text("EVAL \"return redis.call('INCR', '{' .. KEYS[1] .. '}x')\" 1 " + here),
            "1");
  const std::string refused = "do not hash to the slot of the keys it names";
  EXPECT_NE(client.Text("EVAL \"return redis.call('INCR', '" + also_here + "')\" 1 " + here)
                .find(refused),
            std::string::npos);
  EXPECT_NE(client.Text("EVAL \"return redis.call('INCR', '" + here + "')\" 0").find(refused),
            std::string::npos);
  EXPECT_NE(client.Text("EVAL \"return redis.call('DBSIZE')\" 1 " + here).find("about all shards"),
            std::string::npos);
  EXPECT_EQ(client.Text("EVAL \"return 7\" 0"), "7");
  EXPECT_EQ(client.Text("GET " + also_here), "(nil)");
}

TEST_F(Placement, AShardThatMovesIsWaitedForAndOneWithoutAnOwnerIsDown) {
  client.Text("SET " + here + " 1");
  served.shards().Release(0);
  client.SendLine("GET " + here);
  TestClient other(served.port(0));
  EXPECT_EQ(other.Text("PING"), "PONG");
  served.shards().Give(0, 0);
  EXPECT_EQ(client.ReadText(), "1");

  served.shards().Release(0);
  EXPECT_EQ(client.Text("CONFIG SET cluster-patience 0"), "OK");
  EXPECT_EQ(client.Text("GET " + here), "CLUSTERDOWN Hash slot not served");
}

TEST_F(Placement, AWaitEndsWhenItsShardGoes) {
  client.SendLine("BLPOP " + here + " 0");
  served.AwaitBlocked(0, 1);
  served.shards().Give(2, 1);
  served.AwaitBlocked(0, 1);
  EXPECT_TRUE(client.Quiet());
  served.shards().Give(0, 1);
  EXPECT_EQ(client.ReadText(), Moved(here, 1));
  EXPECT_EQ(client.Text("PING"), "PONG");
}

TEST_F(Placement, AWaitIsServedByAPushToItsShard) {
  client.SendLine("BLPOP {" + here + "}l 0");
  served.AwaitBlocked(0, 1);
  TestClient other(served.port(0));
  EXPECT_EQ(other.Text("RPUSH {" + here + "}l x"), "1");
  EXPECT_EQ(client.ReadText(), "[{" + here + "}l, x]");
}

TEST_F(Placement, NothingIsLostWhileShardsMove) {
  std::atomic<bool> ended{false};
  std::thread mover([&] {
    for (std::size_t i = 0; !ended; ++i) served.shards().Give(0, (i + 1) % 2);
  });
  TestClient other(served.port(1));
  other.Text("READONLY");
  TestClient* const clients[] = {&client, &other};
  std::size_t at = 0;
  int moved = 0;
  for (int i = 1; i <= 2000 || moved < 20; ++i) {
    std::string reply = clients[at]->Text("INCR " + here);
    while (reply.starts_with("MOVED ")) {
      at = reply.ends_with(served.AddressOf(1)) ? 1 : 0;
      ++moved;
      reply = clients[at]->Text("INCR " + here);
    }
    EXPECT_EQ(reply, std::to_string(i));
    if (reply != std::to_string(i)) break;
  }
  ended = true;
  mover.join();
}

TEST_F(Placement, DatabaseZeroIsTheOnlyOne) {
  EXPECT_EQ(client.Text("SELECT 0"), "OK");
  EXPECT_EQ(client.Text("SELECT 1"), "ERR SELECT is not allowed in cluster mode");
}

TEST_F(Placement, WhatAClusterDoesNotOfferSaysWhy) {
  EXPECT_EQ(client.Text("SWAPDB 0 1"),
            "ERR 'swapdb' is not offered on a cluster: a cluster has database 0 alone");
  EXPECT_EQ(client.Text("MOVE " + here + " 1"),
            "ERR 'move' is not offered on a cluster: a cluster has database 0 alone");
  EXPECT_EQ(client.Text("REPLICAOF 127.0.0.1 1"),
            "ERR 'replicaof' is not offered on a cluster: a cluster's store is replicated, and its "
            "servers follow nobody");
  EXPECT_EQ(client.Text("COPY {" + here + "}a {" + here + "}b DB 1"),
            "ERR Copying to another database is not allowed in cluster mode");
  EXPECT_EQ(client.Text("COPY " + here + " " + also_here), kCrossSlot);
  EXPECT_EQ(client.Text("SORT {" + here + "}l BY w_*"),
            "ERR BY option of SORT denied in Cluster mode.");
  EXPECT_EQ(client.Text("SORT {" + here + "}l GET w_*"),
            "ERR GET option of SORT denied in Cluster mode.");
  EXPECT_NE(client.Text("CONFIG SET maxmemory 1mb").find("maxmemory is not offered on a cluster"),
            std::string::npos);
}

}  // namespace
}  // namespace mayfly::server
