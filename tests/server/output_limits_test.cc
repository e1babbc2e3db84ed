// Goal: a client over its output limit is closed, and gets nothing of what was too much.
// Method: replies and messages of more bytes than the limit, on a whole server.
#include <gtest/gtest.h>

#include "server/front_served.h"

namespace mayfly::server {
namespace {

const std::string kTooMuch(200'000, 'x');

// Whether there is a client of this name.
bool Lists(TestClient& client, const std::string& name) {
  return client.Text("CLIENT LIST").find("name=" + name + " ") != std::string::npos;
}

TEST(OutputLimits, ASubscriberBeyondItsLimitIsClosed) {
  FrontServed served("client-output-buffer-limit", "pubsub 100000 0 0");
  TestClient publisher(served.port());
  TestClient slow(served.port());
  TestClient small(served.port());
  EXPECT_EQ(slow.Text("CLIENT SETNAME slow"), "OK");
  EXPECT_EQ(slow.Text("SUBSCRIBE news"), "[subscribe, news, 1]");
  EXPECT_EQ(small.Text("SUBSCRIBE other"), "[subscribe, other, 1]");
  EXPECT_EQ(publisher.Text("PUBLISH news fits"), "1");
  EXPECT_EQ(slow.ReadText(), "[message, news, fits]");
  EXPECT_EQ(publisher.Text("PUBLISH news " + kTooMuch), "1");
  EXPECT_EQ(slow.ReadAll(), "");
  EXPECT_FALSE(Lists(publisher, "slow"));
  EXPECT_EQ(publisher.Text("PUBLISH news nobody"), "0");
  // The limit applies to each client alone.
  EXPECT_EQ(publisher.Text("PUBLISH other " + std::string(50'000, 'y')), "1");
  EXPECT_EQ(small.ReadText(), "[message, other, " + std::string(50'000, 'y') + "]");
}

// A client that never reads: small messages fill the sockets first, and then the server's buffer.
TEST(OutputLimits, SmallMessagesAddUp) {
  FrontServed served("client-output-buffer-limit", "pubsub 100000 0 0");
  TestClient publisher(served.port());
  TestClient slow(served.port());
  EXPECT_EQ(slow.Text("SUBSCRIBE news"), "[subscribe, news, 1]");
  const std::string line = "PUBLISH news " + std::string(20'000, 'x');
  constexpr int kMessagesMax = 10'000;  // More than sockets buffer.
  int sent = 0;
  while (sent < kMessagesMax && publisher.Text(line) == "1") ++sent;
  EXPECT_GT(sent, 4);
  EXPECT_LT(sent, kMessagesMax);
}

// Bytes that the server holds for the client of this name.
std::size_t HeldFor(TestClient& client, const std::string& name) {
  const std::string list = client.Text("CLIENT LIST");
  const std::size_t line = list.find("name=" + name + " ");
  const std::size_t omem = list.find(" omem=", line);
  return std::stoull(list.substr(omem + 6));
}

// Within one batch of a pipeline as well as between two.
TEST(OutputLimits, APipelineWhoseRepliesAreNotReadRests) {
  FrontServed served;
  TestClient other(served.port());
  TestClient slow(served.port());
  constexpr std::size_t kValueBytes = 2'000'000;
  EXPECT_EQ(other.Text("SET big " + std::string(kValueBytes, 'x')), "OK");
  EXPECT_EQ(slow.Text("CLIENT SETNAME slow"), "OK");
  std::string gets;
  for (int i = 0; i < 60; ++i) gets += "GET big\r\n";
  slow.Send(gets + "ECHO end\r\n");
  // Until it has begun, and then long enough to exceed the bound if there were none.
  while (HeldFor(other, "slow") == 0) {
  }
  std::size_t most = 0;
  for (int i = 0; i < 200; ++i) most = std::max(most, HeldFor(other, "slow"));
  EXPECT_LT(most, 10 * kValueBytes) << "of 60 values";
  for (int i = 0; i < 60; ++i) EXPECT_EQ(slow.ReadText().size(), kValueBytes);
  EXPECT_EQ(slow.ReadText(), "end");
}

TEST(OutputLimits, WhoeverIsNotSubscribedHasTheOther) {
  FrontServed served("client-output-buffer-limit", "pubsub 100000 0 0");
  TestClient client(served.port());
  EXPECT_EQ(client.Text("SET a " + kTooMuch), "OK");
  EXPECT_EQ(client.Text("GET a"), kTooMuch);
}

TEST(OutputLimits, ATransactionIsRunThoughItsReplyIsTooMuch) {
  FrontServed served("client-output-buffer-limit", "normal 100000 0 0");
  TestClient client(served.port());
  TestClient other(served.port());
  EXPECT_EQ(other.Text("SET a " + kTooMuch), "OK");
  client.Send("MULTI\r\nSET b 1\r\nGET a\r\nSET c 1\r\n");
  for (const char* reply : {"OK", "QUEUED", "QUEUED", "QUEUED"}) {
    EXPECT_EQ(client.ReadText(), reply);
  }
  client.SendLine("EXEC");
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_EQ(other.Text("EXISTS b c"), "2");
}

TEST(OutputLimits, AReplyThatWouldNeverFitIsNotMade) {
  FrontServed served;
  TestClient client(served.port());
  TestClient other(served.port());
  EXPECT_EQ(client.Text("HSET h f v"), "1");
  EXPECT_EQ(client.Text("HRANDFIELD h -999999999"), "ERR value is out of range");
  EXPECT_EQ(other.Text("CONFIG SET client-output-buffer-limit \"normal 1000000 0 0\""), "OK");
  EXPECT_EQ(other.Text("HRANDFIELD h -2"), "[f, f]");
  client.SendLine("HRANDFIELD h -999999999");
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_EQ(other.Text("PING"), "PONG");
}

}  // namespace
}  // namespace mayfly::server
