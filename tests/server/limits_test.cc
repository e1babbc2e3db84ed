// Goal: limits on clients: too many of them, too much at once, garbage, silence.
// Method: sockets with small limits.
#include <gtest/gtest.h>

#include "server/net/address.h"
#include "server/served.h"

namespace mayfly::server {
namespace {

TEST(Limits, MoreThanMaxclientsAreTurnedAway) {
  Served served("maxclients", "2");
  TestClient one(served.port());
  TestClient two(served.port());
  EXPECT_EQ(one.Text("PING"), "PONG");
  EXPECT_EQ(two.Text("PING"), "PONG");
  {
    TestClient three(served.port());
    EXPECT_EQ(three.ReadAll(), "-ERR max number of clients reached\r\n");
  }
  EXPECT_NE(one.Text("INFO stats").find("rejected_connections:1\r\n"), std::string::npos);
}

TEST(Limits, GarbageIsAnsweredAndTheConnectionClosed) {
  Served served;
  TestClient client(served.port());
  client.Send("PING\r\n*1\r\n$x\r\n");
  EXPECT_EQ(client.ReadText(), "PONG");
  EXPECT_EQ(client.ReadText(), "ERR Protocol error: invalid bulk length");
  EXPECT_TRUE(client.Closed());
}

TEST(Limits, AnOversizeArgumentIsRefusedByItsAnnouncement) {
  Served served("proto-max-bulk-len", "1mb");
  TestClient client(served.port());
  client.Send("*2\r\n$4\r\nECHO\r\n$1048577\r\n");
  EXPECT_EQ(client.ReadText(), "ERR Protocol error: invalid bulk length");
  EXPECT_TRUE(client.Closed());
}

TEST(Limits, LargeArgumentsPass) {
  Served served;
  TestClient client(served.port());
  const std::string large(std::size_t{3} << 20, 'x');
  client.Send("*2\r\n$4\r\nECHO\r\n$" + std::to_string(large.size()) + "\r\n" + large + "\r\n");
  EXPECT_EQ(client.ReadText(), large);
}

TEST(Limits, StrangersCannotSendMuch) {
  Served served("requirepass", "secret");
  TestClient client(served.port());
  client.Send("*11\r\n");
  EXPECT_EQ(client.ReadText(), "ERR Protocol error: unauthenticated multibulk length");
  EXPECT_TRUE(client.Closed());
}

TEST(Limits, AClientThatDoesNotReadIsLetGo) {
  Served served("client-output-buffer-limit", "normal 100000 0 0");
  TestClient greedy(served.port());
  const std::string value(50'000, 'x');
  EXPECT_EQ(greedy.Text("SET a " + value), "OK");
  std::string gets;
  for (int i = 0; i < 400; ++i) gets += "GET a\r\n";
  greedy.Send(gets);
  EXPECT_LT(greedy.ReadAll().size(), 400 * value.size());
  TestClient other(served.port());
  EXPECT_EQ(other.Text("PING"), "PONG");
}

// Replies of 20 MB, more than sockets buffer, that the client does not read.
std::size_t AskForMuch(TestClient& client) {
  constexpr std::size_t kValueBytes = 50'000;
  constexpr std::size_t kTimes = 400;
  EXPECT_EQ(client.Text("SET a " + std::string(kValueBytes, 'x')), "OK");
  std::string gets;
  for (std::size_t i = 0; i < kTimes; ++i) gets += "GET a\r\n";
  client.Send(gets);
  return kTimes * kValueBytes;
}

TEST(Limits, AClientThatDoesNotReadForLongIsLetGo) {
  Served served("client-output-buffer-limit", "normal 0 100000 1");
  const SteadyTime begin = served.server().Steady();
  TestClient greedy(served.port());
  const std::size_t bytes = AskForMuch(greedy);
  while (served.server().clients().size() > 0) std::this_thread::yield();
  EXPECT_GT(served.server().Steady() - begin, std::chrono::seconds(1));
  EXPECT_LT(greedy.ReadAll().size(), bytes);
}

TEST(Limits, AClientThatReadsWithinTheTimeOfTheSoftLimitIsNot) {
  Served served("client-output-buffer-limit", "normal 0 100000 3600");
  TestClient late(served.port());
  const std::size_t bytes = AskForMuch(late);
  late.Send("QUIT\r\n");
  EXPECT_GT(late.ReadAll().size(), bytes);
}

TEST(Limits, AReaderWhoIsSlowGetsEverythingWithoutLimits) {
  Served served;
  TestClient client(served.port());
  const std::string value(100'000, 'x');
  client.Text("SET a " + value);
  std::string gets;
  for (int i = 0; i < 200; ++i) gets += "GET a\r\n";
  client.Send(gets + "ECHO end\r\n");
  for (int i = 0; i < 200; ++i) ASSERT_EQ(client.Read().text().size(), value.size());
  EXPECT_EQ(client.ReadText(), "end");
}

TEST(Limits, WhoStopsSendingStillGetsReplies) {
  Served served;
  TestClient client(served.port());
  client.Send("SET a 1\r\nGET a\r\nGET");
  client.ShutdownSend();
  EXPECT_EQ(client.ReadText(), "OK");
  EXPECT_EQ(client.ReadText(), "1");
  EXPECT_TRUE(client.Closed());
}

TEST(Limits, IdleClientsAreLetGo) {
  Served served("timeout", "1");
  TestClient idle(served.port());
  EXPECT_EQ(idle.Text("PING"), "PONG");
  EXPECT_TRUE(idle.Closed());
}

TEST(Limits, BlockedClientsAreNotIdle) {
  Served served("timeout", "1");
  TestClient idle(served.port());
  TestClient blocked(served.port());
  blocked.SendLine("BPOP list 0");
  served.AwaitBlocked(1);
  EXPECT_EQ(idle.Text("PING"), "PONG");
  EXPECT_TRUE(idle.Closed()) << "as old as the one that waits";
  TestClient pusher(served.port());
  EXPECT_EQ(pusher.Text("SET list v"), "OK");
  EXPECT_EQ(blocked.ReadText(), "[list, v]");
}

TEST(Limits, OnlyLoopbackIsLocal) {
  const auto local = [](const char* address) {
    return IsLoopback(asio::ip::make_address(address));
  };
  EXPECT_TRUE(local("127.0.0.1"));
  EXPECT_TRUE(local("127.8.9.1"));
  EXPECT_TRUE(local("::1"));
  EXPECT_TRUE(local("::ffff:127.0.0.1"));
  EXPECT_FALSE(local("10.0.0.1"));
  EXPECT_FALSE(local("::ffff:10.0.0.1"));
  EXPECT_FALSE(local("2001:db8::1"));
}

TEST(Limits, ATransactionCannotBeQueuedWithoutEnd) {
  Served served("client-query-buffer-limit", "1mb");
  TestClient client(served.port());
  EXPECT_EQ(client.Text("MULTI"), "OK");
  const std::string set = "SET a " + std::string(30'000, 'x');
  for (int i = 0; i < 30; ++i) EXPECT_EQ(client.Text(set), "QUEUED");
  std::string more;
  for (int i = 0; i < 10; ++i) more += set + "\r\n";
  client.Send(more);
  EXPECT_LT(client.ReadAll().size(), 10 * std::string("+QUEUED\r\n").size());
  TestClient other(served.port());
  EXPECT_EQ(other.Text("GET a"), "(nil)");
}

}  // namespace
}  // namespace mayfly::server
