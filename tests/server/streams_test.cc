// Goal: clients that wait for streams: who is woken, with what; nothing is delivered twice.
// Method: a whole server in memory, clients on sockets; a client counts as waiting once the
// server's table has it. Where time passes, the database has a manual clock.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "server/front_served.h"

namespace mayfly::server {
namespace {

TEST(WaitingForStreams, AnEntryWakesEveryReader) {
  FrontServed served;
  TestClient first(served.port());
  TestClient second(served.port());
  TestClient adds(served.port());
  adds.Text("XADD s 1 a 1");
  first.SendLine("XREAD BLOCK 0 STREAMS t s $ $");
  served.AwaitBlocked(1);
  second.SendLine("XREAD BLOCK 0 STREAMS s 1");
  served.AwaitBlocked(2);
  EXPECT_EQ(adds.Text("XADD s 2 a 2"), "2-0");
  EXPECT_EQ(first.ReadText(), "[[s, [[2-0, [a, 2]]]]]");
  EXPECT_EQ(second.ReadText(), "[[s, [[2-0, [a, 2]]]]]");
}

TEST(WaitingForStreams, WhatIsOfNoUseDoesNotWake) {
  FrontServed served;
  TestClient waits(served.port());
  TestClient other(served.port());
  other.Text("XADD s 5 a 1");
  waits.SendLine("XREAD BLOCK 0 STREAMS s $");
  served.AwaitBlocked(1);
  other.Text("XDEL s 5");
  other.Text("DEL s");
  other.Text("SET s v");
  other.Text("DEL s");
  other.Text("XADD s 4 a 1");
  other.Text("XGROUP CREATE s g 0");
  EXPECT_TRUE(waits.Quiet());
  other.Text("XADD s 6 a 1");
  EXPECT_EQ(waits.ReadText(), "[[s, [[6-0, [a, 1]]]]]");
}

TEST(WaitingForStreams, AnEntryIsGivenToOneConsumer) {
  FrontServed served;
  TestClient first(served.port());
  TestClient second(served.port());
  TestClient adds(served.port());
  adds.Text("XGROUP CREATE s g 0 MKSTREAM");
  first.SendLine("XREADGROUP GROUP g one BLOCK 0 STREAMS s >");
  served.AwaitBlocked(1);
  second.SendLine("XREADGROUP GROUP g two BLOCK 0 STREAMS s >");
  served.AwaitBlocked(2);
  adds.Text("XADD s 1 a 1");
  EXPECT_EQ(first.ReadText(), "[[s, [[1-0, [a, 1]]]]]");
  EXPECT_TRUE(second.Quiet());
  adds.Text("XADD s 2 a 2");
  EXPECT_EQ(second.ReadText(), "[[s, [[2-0, [a, 2]]]]]");
  EXPECT_EQ(adds.Text("XPENDING s g"), "[2, 1-0, 2-0, [[one, 1], [two, 1]]]");
}

TEST(WaitingForStreams, TheEndOfAStreamOrGroupIsTold) {
  constexpr char kGone[] = "UNBLOCKED the stream key no longer exists";
  FrontServed served;
  TestClient waits(served.port());
  TestClient other(served.port());
  const auto wait = [&] {
    other.Text("XGROUP CREATE s g 0 MKSTREAM");
    waits.SendLine("XREADGROUP GROUP g c BLOCK 0 STREAMS s >");
    served.AwaitBlocked(1);
  };
  for (const std::string end : {"DEL s", "RENAME s t", "SET s v", "FLUSHALL", "EXPIRE s -1"}) {
    SCOPED_TRACE(end);
    wait();
    other.Text(end);
    EXPECT_EQ(waits.ReadText(), kGone);
    other.Text("DEL s t");
  }
  wait();
  other.Text("XGROUP DESTROY s g");
  EXPECT_EQ(waits.ReadText(),
            "NOGROUP the consumer group this client was blocked on no longer exists");
}

TEST(WaitingForStreams, NobodyWaitsInATransactionOrScript) {
  FrontServed served;
  TestClient client(served.port());
  client.Text("XADD s 1 a 1");
  client.Text("MULTI");
  client.Text("XREAD BLOCK 0 STREAMS s $");
  EXPECT_EQ(client.Text("EXEC"), "[(nil array)]");
  const std::string script =
      "EVAL \"return redis.call('xread', 'block', 0, 'streams', 's', '$')\" 0";
  EXPECT_NE(client.Text(script).find("command is not allowed with BLOCK option from scripts"),
            std::string::npos);
  EXPECT_EQ(client.Text("EVAL \"return redis.call('xread', 'streams', KEYS[1], 0)\" 1 s"),
            "[[s, [[1-0, [a, 1]]]]]");
}

TEST(WaitingForStreams, ConsumersShareWhatManyAdd) {
  constexpr int kAdders = 3;
  constexpr int kEach = 200;
  constexpr int kConsumers = 4;
  FrontServed served;
  TestClient(served.port()).Text("XGROUP CREATE s g 0 MKSTREAM");
  std::atomic<int> left = kAdders * kEach;
  std::vector<std::vector<std::string>> got(kConsumers);
  std::vector<std::thread> threads;
  for (int i = 0; i < kConsumers; ++i) {
    threads.emplace_back([&, i] {
      TestClient client(served.port());
      while (left > 0) {
        const Reply reply = client.Ask("XREADGROUP GROUP g c" + std::to_string(i) +
                                       " COUNT 3 BLOCK 50 STREAMS s >");
        if (reply.is_null()) continue;
        for (const Reply& entry : reply.items()[0].items()[1].items()) {
          got[static_cast<std::size_t>(i)].push_back(entry.items()[0].text());
          client.Text("XACK s g " + entry.items()[0].text());
          --left;
        }
      }
    });
  }
  for (int i = 0; i < kAdders; ++i) {
    threads.emplace_back([&] {
      TestClient client(served.port());
      for (int n = 0; n < kEach; ++n) client.Text("XADD s * a 1");
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::map<std::string, int> times;
  for (const auto& ids : got) {
    for (const std::string& id : ids) ++times[id];
  }
  EXPECT_EQ(times.size(), static_cast<std::size_t>(kAdders * kEach));
  TestClient client(served.port());
  EXPECT_EQ(client.Text("XPENDING s g"), "[0, (nil), (nil), (nil array)]");
  EXPECT_EQ(client.Text("XLEN s"), std::to_string(kAdders * kEach));
}

TEST(StreamsOfAServer, AnEntrysDeathIsNotified) {
  ManualClock clock(WallTimeFromMs(1'700'000'000'000));
  FrontServed served({{"notify-keyspace-events", "Et"}}, SilentLogger(),
                     Database::Open({.clock = &clock}).value());
  TestClient client(served.port());
  TestClient listens(served.port());
  listens.Text("PSUBSCRIBE *xexpired");
  client.Text("XADD s MAXAGE 10 1 a 1");
  client.Text("XADD s MAXAGE 0 2 a 2");
  clock.Advance(Millis(9));
  ASSERT_TRUE(served.database().Purge().has_value());
  EXPECT_EQ(client.Text("XLEN s"), "2");
  EXPECT_TRUE(listens.Quiet());
  clock.Advance(Millis(1));
  EXPECT_EQ(client.Text("XLEN s"), "1");
  ASSERT_TRUE(served.database().Purge().has_value());
  EXPECT_EQ(listens.ReadText(), "[pmessage, *xexpired, __keyevent@0__:xexpired, s]");
  EXPECT_EQ(client.Text("XRANGE s - +"), "[[2-0, [a, 2]]]");
  EXPECT_NE(client.Text("TTL.EVENTS AFTER 0").find("key, s, entry, 1-0"), std::string::npos);
}

}  // namespace
}  // namespace mayfly::server
