// Goal: what a subscribed client may do, and that it gets no message once it was killed.
// Method: clients on both threads of a whole server.
#include <gtest/gtest.h>

#include "server/command/limits.h"
#include "server/front_served.h"

namespace mayfly::server {
namespace {

TEST(Subscribers, OneOfResp2MayDoLittle) {
  const FrontServed served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("SUBSCRIBE news"), "[subscribe, news, 1]");
  EXPECT_EQ(client.Text("GET a"),
            "ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET "
            "are allowed in this context");
  EXPECT_EQ(client.Text("PING"), "[pong, ]");
  EXPECT_EQ(client.Text("SUNSUBSCRIBE"), "[sunsubscribe, (nil), 0]");
  EXPECT_EQ(client.Text("UNSUBSCRIBE news"), "[unsubscribe, news, 0]");
  EXPECT_EQ(client.Text("GET a"), "(nil)");
}

// Its thread is busy with another client, so that it cannot be closed yet.
TEST(Subscribers, OneThatWasKilledIsNotCountedAmongThoseWhoHear) {
  const FrontServed served("enable-debug-command", "yes");
  TestClient sleeps(served.port());
  TestClient mine(served.port());
  TestClient hears(served.port());  // On the thread of the first.
  const std::string id = hears.Text("CLIENT ID");
  EXPECT_EQ(hears.Text("SUBSCRIBE news"), "[subscribe, news, 1]");
  EXPECT_EQ(mine.Text("PUBLISH news 1"), "1");
  sleeps.SendLine("DEBUG SLEEP 0.5");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(mine.Text("PING"), "PONG");
  EXPECT_EQ(mine.Text("CLIENT KILL ID " + id), "1");
  EXPECT_EQ(mine.Text("PUBLISH news 2"), "0");
  EXPECT_EQ(hears.ReadText(), "[message, news, 1]");
  EXPECT_TRUE(hears.Closed());
}

// More than are written at once, in several turns of the subscriber's thread.
TEST(Subscribers, ManyMessagesArriveOnceAndInOrder) {
  constexpr int kMessages = 5 * static_cast<int>(kMessagesPerTurn) + 1;
  FrontServed served;
  TestClient hears(served.port());
  EXPECT_EQ(hears.Text("SUBSCRIBE news"), "[subscribe, news, 1]");
  for (int i = 0; i < kMessages; ++i) served.front().Publish("news", std::to_string(i));
  for (int i = 0; i < kMessages; ++i) {
    ASSERT_EQ(hears.ReadText(), "[message, news, " + std::to_string(i) + "]");
  }
  EXPECT_EQ(hears.Text("PING"), "[pong, ]") << "nothing came twice";
}

TEST(Subscribers, HearOfEveryDeathAsThePurgeGoesOn) {
  constexpr int kDead = 1000;
  ManualClock clock{WallTimeFromMs(1'700'000'000'000)};
  FrontServed served({{"notify-keyspace-events", "Ex"}}, SilentLogger(),
                     Database::Open({.clock = &clock}).value());
  TestClient hears(served.port());
  EXPECT_EQ(hears.Text("SUBSCRIBE __keyevent@0__:expired"),
            "[subscribe, __keyevent@0__:expired, 1]");
  TestClient writes(served.port());
  for (int i = 0; i < kDead; ++i) writes.Text("SET k" + std::to_string(i) + " v PX 10");
  clock.Advance(Millis(10));
  // Each part is told before the next is purged.
  for (int told = 0; told < kDead; told += kDead / 10) {
    ASSERT_EQ(served.database().Purge({.rows_max = kDead / 10})->rows, kDead / 10);
    for (int i = 0; i < kDead / 10; ++i) {
      ASSERT_EQ(hears.ReadText().substr(0, 35), "[message, __keyevent@0__:expired, k");
    }
  }
}

}  // namespace
}  // namespace mayfly::server
