// Waiting for keys: first come first served, timeouts, unblocking, going away.
// Method: clients on sockets; a client counts as waiting once the server's table has it.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "server/served.h"

namespace mayfly::server {
namespace {

TEST(Blocking, WhatIsThereIsTakenAtOnce) {
  Served served;
  TestClient client(served.port());
  client.Text("SET b 1");
  EXPECT_EQ(client.Text("BPOP a b 0"), "[b, 1]");
}

TEST(Blocking, TheOneWhoWaitsIsServedBeforeTheOneWhoWokeIt) {
  Served served;
  TestClient waits(served.port());
  TestClient pushes(served.port());
  waits.SendLine("BPOP a b 0");
  served.AwaitBlocked(1);
  pushes.Send("SET b 1\r\nGET b\r\n");
  EXPECT_EQ(pushes.ReadText(), "OK");
  EXPECT_EQ(pushes.ReadText(), "(nil)");
  EXPECT_EQ(waits.ReadText(), "[b, 1]");
  EXPECT_EQ(served.server().waiting().size(), 0u);
}

TEST(Blocking, FirstComeFirstServed) {
  Served served;
  TestClient first(served.port());
  TestClient second(served.port());
  TestClient third(served.port());
  first.SendLine("BPOP a 0");
  served.AwaitBlocked(1);
  second.SendLine("BPOP a 0");
  served.AwaitBlocked(2);
  third.SendLine("BPOP b a 0");
  served.AwaitBlocked(3);
  TestClient pushes(served.port());
  pushes.Text("SET a 1");
  EXPECT_EQ(first.ReadText(), "[a, 1]");
  pushes.Text("SET a 2");
  EXPECT_EQ(second.ReadText(), "[a, 2]");
  pushes.Text("SET a 3");
  EXPECT_EQ(third.ReadText(), "[a, 3]");
}

TEST(Blocking, WhatAServedClientWritesWakesTheNext) {
  Served served;
  TestClient moves(served.port());
  TestClient pops(served.port());
  pops.SendLine("BPOP b 0");
  served.AwaitBlocked(1);
  moves.SendLine("BMOVE a b 0");
  served.AwaitBlocked(2);
  TestClient pushes(served.port());
  EXPECT_EQ(pushes.Text("SET a 1"), "OK");
  EXPECT_EQ(moves.ReadText(), "1");
  EXPECT_EQ(pops.ReadText(), "[b, 1]");
}

TEST(Blocking, ATransactionServesWhenItIsOver) {
  Served served;
  TestClient waits(served.port());
  waits.SendLine("BPOP a 0");
  served.AwaitBlocked(1);
  TestClient pushes(served.port());
  pushes.Text("MULTI");
  pushes.Text("SET a 1");
  pushes.Text("SET a 2");
  EXPECT_EQ(pushes.Text("EXEC"), "[OK, OK]");
  EXPECT_EQ(waits.ReadText(), "[a, 2]");
}

TEST(Blocking, AnotherTypeIsNotWaitedFor) {
  Served served;
  TestClient waits(served.port());
  waits.SendLine("BPOP a 0");
  served.AwaitBlocked(1);
  TestClient pushes(served.port());
  pushes.Text("SET a !list");
  EXPECT_EQ(pushes.Text("GET a"), "!list");
  EXPECT_TRUE(waits.Quiet());
  pushes.Text("SET a 1");
  EXPECT_EQ(waits.ReadText(), "[a, 1]");
  pushes.Text("SET a !list");
  EXPECT_EQ(waits.Text("BPOP a 0"),
            "WRONGTYPE Operation against a key holding the wrong kind of value");
}

TEST(Blocking, TimeEndsTheWait) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("BPOP a 0.02"), "(nil array)");
  EXPECT_EQ(client.Text("PING"), "PONG");
  EXPECT_EQ(served.server().waiting().size(), 0u);
}

TEST(Blocking, AWaitIsNotSlow) {
  ManualClock real_clock(WallTimeFromMs(0));
  Served served({{"slowlog-log-slower-than", "1000000"}}, nullptr, real_clock);
  TestClient waits(served.port());
  TestClient pushes(served.port());
  waits.SendLine("BPOP a 0");
  served.AwaitBlocked(1);
  real_clock.Advance(Millis(5'000));
  pushes.Text("SET a 1");
  EXPECT_EQ(waits.ReadText(), "[a, 1]");
  EXPECT_EQ(pushes.Text("SLOWLOG LEN"), "0");
  EXPECT_NE(pushes.Text("INFO commandstats").find("cmdstat_bpop:calls=1,usec=0,"),
            std::string::npos);
}

TEST(Blocking, CommandsBehindItWaitAndRunInOrder) {
  Served served;
  TestClient waits(served.port());
  waits.Send("SET x 1\r\nBPOP a 0\r\nGET x\r\nPING\r\n");
  EXPECT_EQ(waits.ReadText(), "OK");
  served.AwaitBlocked(1);
  waits.Send("ECHO later\r\n");
  EXPECT_TRUE(waits.Quiet());
  TestClient pushes(served.port());
  pushes.Text("SET x 2");
  pushes.Text("SET a 1");
  EXPECT_EQ(waits.ReadText(), "[a, 1]");
  EXPECT_EQ(waits.ReadText(), "2");
  EXPECT_EQ(waits.ReadText(), "PONG");
  EXPECT_EQ(waits.ReadText(), "later");
}

TEST(Blocking, UnblockEndsTheWaitEitherWay) {
  Served served;
  TestClient waits(served.port());
  TestClient other(served.port());
  const std::string id = waits.Text("CLIENT ID");
  EXPECT_EQ(other.Text("CLIENT UNBLOCK " + id), "0");
  waits.SendLine("BPOP a 0");
  served.AwaitBlocked(1);
  EXPECT_EQ(other.Text("CLIENT UNBLOCK " + id), "1");
  EXPECT_EQ(waits.ReadText(), "(nil array)");
  waits.SendLine("BPOP a 0");
  served.AwaitBlocked(1);
  EXPECT_EQ(other.Text("CLIENT UNBLOCK " + id + " ERROR"), "1");
  EXPECT_EQ(waits.ReadText(), "UNBLOCKED client unblocked via CLIENT UNBLOCK");
  EXPECT_EQ(other.Text("CLIENT UNBLOCK " + id + " LATER"),
            "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
}

TEST(Blocking, AClientThatGoesAwayIsForgotten) {
  Served served;
  {
    TestClient gone(served.port());
    gone.SendLine("BPOP a 0");
    served.AwaitBlocked(1);
  }
  served.AwaitBlocked(0);
  TestClient pushes(served.port());
  pushes.Text("SET a 1");
  EXPECT_EQ(pushes.Text("GET a"), "1");
}

TEST(Blocking, SwappingDatabasesWakes) {
  Served served;
  TestClient waits(served.port());
  TestClient other(served.port());
  other.Text("SELECT 1");
  other.Text("SET a 1");
  waits.SendLine("BPOP a 0");
  served.AwaitBlocked(1);
  EXPECT_EQ(other.Text("SWAPDB 0 1"), "OK");
  EXPECT_EQ(waits.ReadText(), "[a, 1]");
}

TEST(Blocking, AFailedCommitParksNobody) {
  Served served;
  TestClient client(served.port());
  served.transactions().FailNextCommit();
  client.Send("SET x 1\r\nBPOP a 0\r\nPING\r\n");
  EXPECT_EQ(client.ReadText(), "ERR the disk is full");
  EXPECT_EQ(client.ReadText(), "ERR the disk is full");
  EXPECT_EQ(client.ReadText(), "PONG");
  EXPECT_EQ(served.server().waiting().size(), 0u);
}

// Some clients push, some wait; every pushed value is popped once.
TEST(Blocking, NothingIsLostOrDoubledAmongMany) {
  Served served;
  constexpr int kItems = 60;
  constexpr int kPoppers = 3;
  std::mutex mutex;
  std::multiset<std::string> popped;
  std::vector<std::thread> threads;
  for (int t = 0; t < kPoppers; ++t) {
    threads.emplace_back([&] {
      TestClient client(served.port());
      for (int i = 0; i < kItems / kPoppers; ++i) {
        const Reply reply = client.Ask("BPOP a b 0");
        const std::lock_guard lock(mutex);
        popped.insert(reply.items()[1].text());
      }
    });
  }
  TestClient client(served.port());
  for (int i = 0; i < kItems; ++i) {
    const std::string key = i % 2 == 0 ? "a" : "b";
    // A row that is still there would be overwritten.
    while (client.Text("GET " + key) != "(nil)") std::this_thread::yield();
    client.Text("SET " + key + " " + std::to_string(i));
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(popped.size(), static_cast<std::size_t>(kItems));
  EXPECT_EQ(std::set<std::string>(popped.begin(), popped.end()).size(),
            static_cast<std::size_t>(kItems));
}

// A wait is ended by its own timeout: another client's wait, begun later, shows that the earlier
// one is over.
TEST(Blocking, AWaitIsNotEndedByTheTimeOfAnEarlierOne) {
  Served served;
  TestClient waits(served.port());
  TestClient pushes(served.port());
  waits.SendLine("BPOP a 1");
  served.AwaitBlocked(1);
  EXPECT_EQ(pushes.Text("SET a 1"), "OK");
  EXPECT_EQ(waits.ReadText(), "[a, 1]");
  waits.SendLine("BPOP b 0");
  served.AwaitBlocked(1);
  EXPECT_EQ(pushes.Text("BPOP c 1.1"), "(nil array)");
  EXPECT_TRUE(waits.Quiet());
  EXPECT_EQ(pushes.Text("SET b 2"), "OK");
  EXPECT_EQ(waits.ReadText(), "[b, 2]");
}

// The client that wrote the key serves the waiting one, and must itself wait for a transaction,
// which ends the very wait that is being served.
TEST(Blocking, ATransactionCanEndAWaitThatIsBeingServed) {
  Served served;
  TestClient waits(served.port());
  TestClient pushes(served.port());
  TestClient third(served.port());  // On the thread of the first.
  const std::string unblock = "CLIENT UNBLOCK " + waits.Text("CLIENT ID") + "\r\n";
  waits.SendLine("BPOP a 0");
  served.AwaitBlocked(1);
  PlainTransactionSource& transactions = served.transactions();
  std::atomic<int> begins{0};
  transactions.before_begin = [&] {
    constexpr int kToServe = 2;  // The first is that of SET, the third that of EXEC.
    const int begun = transactions.begun;
    if (++begins != kToServe) return;
    while (transactions.begun == begun) std::this_thread::yield();
  };
  pushes.SendLine("SET a 1");
  while (begins < 2) std::this_thread::yield();
  third.Send("MULTI\r\n" + unblock + "GET a\r\nEXEC\r\n");
  for (int i = 0; i < 3; ++i) third.ReadText();
  EXPECT_EQ(third.ReadText(), "[1, 1]");
  EXPECT_EQ(waits.ReadText(), "(nil array)");
  EXPECT_EQ(pushes.ReadText(), "OK");
  EXPECT_EQ(pushes.Text("GET a"), "1");
}

// A client that skips a reply gets the reply to its next command.
TEST(Blocking, AReplyThatIsToBeSkippedIsSkippedThoughItComesLater) {
  Served served;
  TestClient waits(served.port());
  TestClient other(served.port());
  waits.Send("CLIENT REPLY SKIP\r\nBPOP a 0\r\n");
  served.AwaitBlocked(1);
  EXPECT_EQ(other.Text("SET a 1"), "OK");
  EXPECT_EQ(waits.Text("GET a"), "(nil)") << "it was taken";
  EXPECT_EQ(waits.Text("PING"), "PONG") << "one reply is skipped, and no other";
}

TEST(Blocking, AReplyThatIsToBeSkippedIsSkippedWhenTheWaitEndsWithNothing) {
  Served served;
  TestClient waits(served.port());
  TestClient other(served.port());
  const std::string id = waits.Text("CLIENT ID");
  for (const char* const how : {"TIMEOUT", "ERROR"}) {
    waits.Send("CLIENT REPLY SKIP\r\nBPOP a 0\r\n");
    served.AwaitBlocked(1);
    EXPECT_EQ(other.Text("CLIENT UNBLOCK " + id + " " + how), "1");
    EXPECT_EQ(waits.Text("PING"), "PONG") << how;
  }
}

TEST(Blocking, NothingIsSkippedAfterAWaitThatWasNotToBe) {
  Served served;
  TestClient waits(served.port());
  TestClient other(served.port());
  waits.Send("CLIENT REPLY OFF\r\nBPOP a 0\r\n");
  served.AwaitBlocked(1);
  EXPECT_EQ(other.Text("SET a 1"), "OK");
  waits.Send("PING\r\nCLIENT REPLY ON\r\nBPOP a 0\r\n");
  EXPECT_EQ(waits.ReadText(), "OK");
  served.AwaitBlocked(1);
  EXPECT_EQ(other.Text("SET a 2"), "OK");
  EXPECT_EQ(waits.ReadText(), "[a, 2]");
}

}  // namespace
}  // namespace mayfly::server
