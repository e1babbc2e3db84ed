// Goal: MULTI, EXEC, WATCH: Redis' rules, and no gap between a change and its mark.
// Method: two clients on sockets; a manual clock; a seeded race of many.
#include <gtest/gtest.h>

#include "server/served.h"

namespace mayfly::server {
namespace {

TEST(Transactions, RunAsOneWork) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("MULTI"), "OK");
  EXPECT_EQ(client.Text("SET a 1"), "QUEUED");
  EXPECT_EQ(client.Text("GET a"), "QUEUED");
  EXPECT_EQ(client.Text("PING"), "QUEUED");
  const int before = served.transactions().begun;
  EXPECT_EQ(client.Text("EXEC"), "[OK, 1, PONG]");
  EXPECT_EQ(served.transactions().begun - before, 1);
  EXPECT_EQ(client.Text("EXEC"), "ERR EXEC without MULTI");
}

TEST(Transactions, NothingQueuedGivesAnEmptyArray) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("MULTI"), "OK");
  EXPECT_EQ(client.Text("EXEC"), "[]");
}

TEST(Transactions, ARefusedCommandAbortsThem) {
  Served served;
  TestClient client(served.port());
  for (const char* bad : {"GET", "nonsense", "CONFIG nonsense"}) {
    EXPECT_EQ(client.Text("MULTI"), "OK");
    EXPECT_EQ(client.Text("SET a 1"), "QUEUED");
    EXPECT_TRUE(client.Text(bad).starts_with("ERR ")) << bad;
    EXPECT_EQ(client.Text("EXEC"), "EXECABORT Transaction discarded because of previous errors.");
    EXPECT_EQ(client.Text("GET a"), "(nil)");
  }
}

TEST(Transactions, WritesThatAreRefusedMeanwhileAbortThem) {
  Served served;
  TestClient client(served.port());
  TestClient other(served.port());
  EXPECT_EQ(client.Text("MULTI"), "OK");
  EXPECT_EQ(client.Text("GET a"), "QUEUED");
  EXPECT_EQ(client.Text("SET a 1"), "QUEUED");
  EXPECT_EQ(other.Text("CONFIG SET min-replicas-to-write 1"), "OK");
  EXPECT_EQ(client.Text("EXEC"),
            "EXECABORT Transaction discarded because of: NOREPLICAS Not enough good replicas to "
            "write.");
  EXPECT_EQ(client.Text("MULTI"), "OK");
  EXPECT_EQ(client.Text("GET a"), "QUEUED");
  EXPECT_EQ(client.Text("EXEC"), "[(nil)]");
  EXPECT_EQ(other.Text("CONFIG SET min-replicas-to-write 0"), "OK");
}

TEST(Transactions, AnErrorInsideLeavesTheOthersAlone) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("MULTI"), "OK");
  EXPECT_EQ(client.Text("SET a 1"), "QUEUED");
  EXPECT_EQ(client.Text("FAIL a 2"), "QUEUED");
  EXPECT_EQ(client.Text("GET a"), "QUEUED");
  EXPECT_EQ(client.Text("EXEC"), "[OK, ERR it is not to be, 1]");
}

TEST(Transactions, AFailedCommitIsOneError) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("MULTI"), "OK");
  EXPECT_EQ(client.Text("SET a 1"), "QUEUED");
  served.transactions().FailNextCommit();
  EXPECT_EQ(client.Text("EXEC"), "ERR the disk is full");
  EXPECT_EQ(client.Text("GET a"), "(nil)");
}

TEST(Transactions, StateErrorsAreRedis) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("DISCARD"), "ERR DISCARD without MULTI");
  EXPECT_EQ(client.Text("MULTI"), "OK");
  EXPECT_EQ(client.Text("MULTI"), "ERR MULTI calls can not be nested");
  EXPECT_EQ(client.Text("WATCH a"), "ERR WATCH inside MULTI is not allowed");
  EXPECT_EQ(client.Text("SET a 1"), "QUEUED");
  EXPECT_EQ(client.Text("DISCARD"), "OK");
  EXPECT_EQ(client.Text("GET a"), "(nil)");
}

TEST(Transactions, SelectInsideCountsForTheCommandsBehindIt) {
  Served served;
  TestClient client(served.port());
  client.Text("MULTI");
  client.Text("SET a 0");
  client.Text("SELECT 3");
  client.Text("SET a 3");
  EXPECT_EQ(client.Text("EXEC"), "[OK, OK, OK]");
  EXPECT_EQ(client.Text("GET a"), "3");
  client.Text("SELECT 0");
  EXPECT_EQ(client.Text("GET a"), "0");
}

TEST(Transactions, AWaitingCommandInsideDoesNotWait) {
  Served served;
  TestClient client(served.port());
  client.Text("MULTI");
  client.Text("BPOP a 0");
  EXPECT_EQ(client.Text("EXEC"), "[(nil array)]");
}

class Watching : public testing::Test {
 protected:
  // EXEC's reply after `change` by another client.
  std::string After(const std::function<void()>& change) {
    EXPECT_EQ(mine_.Text("WATCH a"), "OK");
    change();
    mine_.Text("MULTI");
    mine_.Text("SET b 1");
    return mine_.Text("EXEC");
  }

  Served served_;
  TestClient mine_{served_.port()};
  TestClient other_{served_.port()};
};

TEST_F(Watching, AChangedKeyAborts) {
  EXPECT_EQ(After([&] { other_.Text("SET a 1"); }), "(nil array)");
  EXPECT_EQ(mine_.Text("GET b"), "(nil)");
}

TEST_F(Watching, AnotherKeyDoesNot) {
  EXPECT_EQ(After([&] { other_.Text("SET c 1"); }), "[OK]");
}

TEST_F(Watching, TheSameKeyInAnotherDatabaseDoesNot) {
  EXPECT_EQ(After([&] {
              other_.Text("SELECT 1");
              other_.Text("SET a 1");
            }),
            "[OK]");
}

TEST_F(Watching, AChangeOfOnesOwnAborts) {
  EXPECT_EQ(After([&] { mine_.Text("SET a 1"); }), "(nil array)");
}

TEST_F(Watching, WhatFailedChangedNothing) {
  EXPECT_EQ(After([&] { other_.Text("FAIL a 1"); }), "[OK]");
}

TEST_F(Watching, UnwatchAndDiscardForget) {
  EXPECT_EQ(After([&] {
              other_.Text("SET a 1");
              mine_.Text("UNWATCH");
            }),
            "[OK]");
  mine_.Text("WATCH a");
  other_.Text("SET a 2");
  mine_.Text("MULTI");
  mine_.Text("DISCARD");
  mine_.Text("MULTI");
  EXPECT_EQ(mine_.Text("EXEC"), "[]");
}

TEST_F(Watching, AKeyThatDiesMeanwhileAborts) {
  other_.Text("SET a 1 100");
  EXPECT_EQ(After([&] { served_.clock().Advance(Millis(99)); }), "[OK]");
  EXPECT_EQ(After([&] { served_.clock().Advance(Millis(1)); }), "(nil array)");
}

TEST_F(Watching, AKeyThatWasDeadDoesNotAbort) {
  other_.Text("SET a 1 100");
  served_.clock().Advance(Millis(100));
  EXPECT_EQ(After([&] { served_.clock().Advance(Millis(1)); }), "[OK]");
}

TEST_F(Watching, EmptyingTheDatabaseTouchesWhatWasThere) {
  EXPECT_EQ(After([&] { other_.Text("FLUSHALL"); }), "[OK]");
  other_.Text("SET a 1");
  EXPECT_EQ(After([&] { other_.Text("FLUSHDB"); }), "(nil array)");
}

TEST_F(Watching, SwappingTouchesWhatIsThereOnEitherSide) {
  EXPECT_EQ(After([&] { other_.Text("SWAPDB 0 1"); }), "[OK]");
  other_.Text("SELECT 1");
  other_.Text("SET a 1");
  EXPECT_EQ(After([&] { other_.Text("SWAPDB 0 1"); }), "(nil array)");
}

TEST_F(Watching, WatchesEndWithTheConnection) {
  mine_.Text("WATCH a b c");
  EXPECT_EQ(served_.server().watches().size(), 3u);
  mine_.Text("RESET");
  EXPECT_EQ(served_.server().watches().size(), 0u);
}

// Each client reads a number, and writes the next one if no other client did: none may be lost.
TEST(Transactions, CountingByCompareAndSetLosesNothing) {
  Served served;
  constexpr int kClients = 4;
  constexpr int kIncrements = 25;
  {
    TestClient client(served.port());
    client.Text("SET n 0");
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < kClients; ++t) {
    threads.emplace_back([&] {
      TestClient client(served.port());
      for (int done = 0; done < kIncrements;) {
        client.Text("WATCH n");
        const int n = std::stoi(client.Text("GET n"));
        client.Text("MULTI");
        client.Text("SET n " + std::to_string(n + 1));
        if (client.Text("EXEC") == "[OK]") ++done;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  TestClient client(served.port());
  EXPECT_EQ(client.Text("GET n"), std::to_string(kClients * kIncrements));
}

}  // namespace
}  // namespace mayfly::server
