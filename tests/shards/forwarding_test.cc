// Goal: a plain client is served by any server, as if that had all shards. Method: clients of server
// 0, which has half of the shards in memory; server 1 has the others, or has just lost them.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "shards/cluster_served.h"

namespace mayfly::server {
namespace {

class Forwarding : public testing::Test {
 protected:
  ClusterServed served;
  TestClient client{served.port(0)};
  const std::string here = served.KeyIn(0);
  const std::string there = served.KeyIn(1);
};

TEST_F(Forwarding, RepliesAreThoseOfTheOwner) {
  EXPECT_EQ(client.Text("SET " + there + " 3 EX 100"), "OK");
  EXPECT_EQ(client.Text("GET " + there), "3");
  EXPECT_EQ(client.Text("TTL " + there), "100");
  EXPECT_EQ(client.Text("LPUSH " + there + " x"),
            "WRONGTYPE Operation against a key holding the wrong kind of value");
  EXPECT_EQ(client.Text("HSET " + there + "h a 1"), client.Text("HSET " + there + "i a 1"));
  TestClient owner(served.port(1));
  EXPECT_EQ(owner.Text("GET " + there), "3");
  EXPECT_EQ(owner.Text("GET " + here), "(nil)");
}

TEST_F(Forwarding, APipelineKeepsItsOrder) {
  for (std::size_t i = 0; i < 300; ++i) {
    client.SendLine("INCR " + served.KeyIn(i % 4, "n"));
    client.SendLine("PING " + std::to_string(i));
  }
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(client.ReadText(), std::to_string(i / 4 + 1));
    EXPECT_EQ(client.ReadText(), std::to_string(i));
  }
}

TEST_F(Forwarding, RepliesHaveTheClientsVersionOfTheProtocol) {
  const std::string tag = "{" + there + "}";
  client.Text("HSET " + tag + "h a 1");
  EXPECT_EQ(client.Text("HGETALL " + tag + "h"), "[a, 1]");
  client.Text("HELLO 3");
  EXPECT_EQ(client.Text("HGETALL " + tag + "h"), "{a: 1}");
  EXPECT_EQ(client.Text("HGETALL {" + here + "}h"), "{}");
}

TEST_F(Forwarding, ALargeValuePassesWhole) {
  const std::string value(5'000'000, 'v');
  EXPECT_EQ(client.Text("SET " + there + " " + value), "OK");
  EXPECT_EQ(client.Text("GET " + there), value);
}

TEST_F(Forwarding, RepliesThatAreNotWantedAreLeftOut) {
  client.Send("CLIENT REPLY SKIP\r\n");
  client.SendLine("SET " + there + " 1");
  EXPECT_EQ(client.Text("GET " + there), "1");
  client.Send("CLIENT REPLY OFF\r\n");
  client.SendLine("INCR " + there);
  client.SendLine("INCR " + there);
  EXPECT_EQ(client.Text("CLIENT REPLY ON"), "OK");
  EXPECT_EQ(client.Text("GET " + there), "3");
}

TEST_F(Forwarding, ATransactionIsForwardedWhole) {
  client.Text("MULTI");
  EXPECT_EQ(client.Text("SET " + there + " 1"), "QUEUED");
  EXPECT_EQ(client.Text("INCR " + there), "QUEUED");
  EXPECT_EQ(client.Text("EXEC"), "[OK, 2]");
  EXPECT_EQ(client.Text("GET " + there), "2");

  client.Text("MULTI");
  client.Text("INCR " + here);
  client.Text("INCR " + there);
  EXPECT_EQ(client.Text("EXEC"), "CROSSSLOT Keys in request don't hash to the same slot");
  EXPECT_EQ(client.Text("GET " + there), "2");
}

TEST_F(Forwarding, AWaitEndsAtTheOwner) {
  client.SendLine("BLPOP " + there + " 0");
  served.AwaitBlocked(1, 1);
  TestClient other(served.port(0));
  EXPECT_EQ(other.Text("RPUSH " + there + " a b"), "2");
  EXPECT_EQ(client.ReadText(), "[" + there + ", a]");
  EXPECT_EQ(client.Text("BLPOP " + there + " 0"), "[" + there + ", b]");
  EXPECT_EQ(client.Text("BLPOP " + there + " 0.01"), "(nil array)");
}

// Its value would be lost.
TEST_F(Forwarding, AClientThatLeavesWaitsNoMoreAtTheOwner) {
  {
    TestClient leaver(served.port(0));
    leaver.SendLine("BLPOP " + there + " 0");
    served.AwaitBlocked(1, 1);
  }
  served.AwaitBlocked(1, 0);
  EXPECT_EQ(client.Text("RPUSH " + there + " a"), "1");
  EXPECT_EQ(client.Text("LLEN " + there), "1");
}

TEST_F(Forwarding, AWaitIsForwardedAgainWhenItsShardMoves) {
  client.SendLine("BLPOP " + there + " 0");
  served.AwaitBlocked(1, 1);
  served.shards().Give(1, 0);
  served.AwaitBlocked(0, 2);  // The client, and server 0's own connection for it.
  TestClient other(served.port(1));
  EXPECT_EQ(other.Text("RPUSH " + there + " a"), "1");
  EXPECT_EQ(client.ReadText(), "[" + there + ", a]");
}

TEST_F(Forwarding, NothingIsLostWhileShardsMove) {
  std::atomic<bool> ended{false};
  std::atomic<int> moves{0};
  std::thread mover([&] {
    for (; !ended; ++moves) served.shards().Give(0, static_cast<std::size_t>(moves + 1) % 2);
  });
  for (int i = 1; i <= 2000 || moves < 20; ++i) {
    const std::string reply = client.Text("INCR " + here);
    EXPECT_EQ(reply, std::to_string(i));
    if (reply != std::to_string(i)) break;
  }
  ended = true;
  mover.join();
}

TEST_F(Forwarding, AMessageReachesSubscribersOfAllServers) {
  TestClient here_subscriber(served.port(0));
  TestClient there_subscriber(served.port(1));
  here_subscriber.Text("SUBSCRIBE news");
  there_subscriber.Text("SUBSCRIBE news");
  EXPECT_EQ(client.Text("PUBLISH news a"), "1");
  for (TestClient* one : {&here_subscriber, &there_subscriber}) {
    EXPECT_EQ(one->ReadText(), "[message, news, a]");
  }
  client.Text("MULTI");
  client.Text("PUBLISH news b");
  client.Text("SET {" + here + "}x 1");
  EXPECT_EQ(client.Text("EXEC"), "[1, OK]");
  EXPECT_EQ(client.Text("EVAL \"return redis.call('PUBLISH', 'news', 'c')\" 0"), "1");
  for (TestClient* one : {&here_subscriber, &there_subscriber}) {
    EXPECT_EQ(one->ReadText(), "[message, news, b]");
    EXPECT_EQ(one->ReadText(), "[message, news, c]");
    EXPECT_TRUE(one->Quiet());
  }
}

TEST_F(Forwarding, AServerThatCannotBeReachedIsNamed) {
  client.Text("SET " + there + " 1");
  served.Stop(1);
  std::string reply = client.Text("GET " + there);
  if (reply.starts_with("ERR the connection")) reply = client.Text("GET " + there);
  EXPECT_NE(reply.find("TRYAGAIN the server " + served.AddressOf(1) + " cannot be reached"),
            std::string::npos)
      << reply;
  EXPECT_EQ(client.Text("GET " + here), "(nil)");
  served.shards().Give(1, 0);
  EXPECT_EQ(client.Text("GET " + there), "1");
}

TEST(ForwardingSettings, RedirectAlwaysAndNeverOverruleWhatClientsSay) {
  ClusterServed always({.settings = {{"cluster-redirect", "always"}}});
  TestClient moved(always.port(0));
  EXPECT_TRUE(moved.Text("GET " + always.KeyIn(1)).starts_with("MOVED "));

  ClusterServed never({.settings = {{"cluster-redirect", "never"}}});
  TestClient served(never.port(0));
  served.Text("CLUSTER SLOTS");
  EXPECT_EQ(served.Text("GET " + never.KeyIn(1)), "(nil)");
}

// They ask one connection for the map, and send commands on others.
TEST(ForwardingSettings, OtherConnectionsOfAClusterClientAreMovedToo) {
  ClusterServed served;
  TestClient before(served.port(0));
  EXPECT_EQ(before.Text("GET " + served.KeyIn(1)), "(nil)");
  TestClient(served.port(0)).Text("CLUSTER SLOTS");
  EXPECT_TRUE(before.Text("GET " + served.KeyIn(1)).starts_with("MOVED "));
  TestClient elsewhere(served.port(1));  // The other server hears of it.
  while (!elsewhere.Text("GET " + served.KeyIn(0)).starts_with("MOVED ")) std::this_thread::yield();
}

TEST(ForwardingSettings, AnotherServerIsLoggedInto) {
  ClusterServed served({.settings = {{"requirepass", "secret"}, {"cluster-password", "secret"}}});
  TestClient client(served.port(0));
  EXPECT_EQ(client.Text("GET " + served.KeyIn(1)), "NOAUTH Authentication required.");
  client.Text("AUTH secret");
  EXPECT_EQ(client.Text("SET " + served.KeyIn(1) + " 1"), "OK");

  ClusterServed other({.settings = {{"requirepass", "secret"}}});
  TestClient refused(other.port(0));
  refused.Text("AUTH secret");
  const std::string reply = refused.Text("GET " + other.KeyIn(1));
  EXPECT_NE(reply.find("refuses this one: NOAUTH"), std::string::npos) << reply;
}

}  // namespace
}  // namespace mayfly::server
