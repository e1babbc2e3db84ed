// Goal: what a subscribed client may do, and that it gets no message once it was killed.
// Method: clients on both threads of a whole server.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace mayfly::server
