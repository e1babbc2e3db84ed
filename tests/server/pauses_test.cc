// Goal: CLIENT PAUSE WRITE holds back commands that may write, and no others.
// Method: scripts declared as no-writes, and others; held clients count as blocked.
#include <gtest/gtest.h>

#include "server/front_served.h"

namespace mayfly::server {
namespace {

class Pauses : public testing::Test {
 protected:
  std::string BlockedClients() {
    const std::string info = admin_.Text("INFO clients");
    const std::size_t at = info.find("blocked_clients:") + std::string("blocked_clients:").size();
    return info.substr(at, info.find('\r', at) - at);
  }

  // Waits until so many are held.
  void AwaitHeld(const std::string& clients) {
    while (BlockedClients() != clients) std::this_thread::yield();
  }

  FrontServed served_;
  TestClient admin_{served_.port()};
  TestClient a_{served_.port()};
  TestClient b_{served_.port()};
};

TEST_F(Pauses, ReadOnlyScriptsGoOn) {
  EXPECT_EQ(a_.Text("SET x y"), "OK");
  const std::string sha = a_.Text("SCRIPT LOAD \"#!lua flags=no-writes\\n return 2\"");
  EXPECT_EQ(admin_.Text("CLIENT PAUSE 100000 WRITE"), "OK");
  EXPECT_EQ(a_.Text("EVAL \"#!lua flags=no-writes\\n return 1\" 0"), "1");
  EXPECT_EQ(a_.Text("EVALSHA " + sha + " 0"), "2");
  EXPECT_EQ(a_.Text("EVAL_RO \"return redis.call('get', 'x')\" 0"), "y");
  EXPECT_EQ(a_.Text("MULTI"), "OK");
  EXPECT_EQ(a_.Text("EVAL \"#!lua flags=no-writes\\n return 3\" 0"), "QUEUED");
  EXPECT_EQ(a_.Text("EXEC"), "[3]");
  EXPECT_EQ(BlockedClients(), "0");
}

TEST_F(Pauses, OthersAndMessagesWait) {
  EXPECT_EQ(admin_.Text("CLIENT PAUSE 100000 WRITE"), "OK");
  a_.SendLine("EVAL \"return 1\" 0");
  AwaitHeld("1");
  b_.SendLine("PUBLISH news hello");
  AwaitHeld("2");
  EXPECT_TRUE(a_.Quiet());
  EXPECT_TRUE(b_.Quiet());
  EXPECT_EQ(admin_.Text("CLIENT UNPAUSE"), "OK");
  EXPECT_EQ(a_.ReadText(), "1");
  EXPECT_EQ(b_.ReadText(), "0");
  AwaitHeld("0");
}

TEST_F(Pauses, ATransactionWaitsForTheScriptInIt) {
  EXPECT_EQ(a_.Text("MULTI"), "OK");
  EXPECT_EQ(a_.Text("EVAL \"#!lua\\n return 12\" 0"), "QUEUED");
  EXPECT_EQ(admin_.Text("CLIENT PAUSE 100000 WRITE"), "OK");
  a_.SendLine("EXEC");
  AwaitHeld("1");
  EXPECT_TRUE(a_.Quiet());
  EXPECT_EQ(admin_.Text("CLIENT UNPAUSE"), "OK");
  EXPECT_EQ(a_.ReadText(), "[12]");
}

TEST_F(Pauses, WhatIsToBeQueuedWaitsAsWell) {
  EXPECT_EQ(a_.Text("MULTI"), "OK");
  EXPECT_EQ(admin_.Text("CLIENT PAUSE 100000 WRITE"), "OK");
  EXPECT_EQ(a_.Text("GET x"), "QUEUED");
  a_.SendLine("SET x 1");
  AwaitHeld("1");
  EXPECT_EQ(admin_.Text("CLIENT UNPAUSE"), "OK");
  EXPECT_EQ(a_.ReadText(), "QUEUED");
  EXPECT_EQ(a_.Text("EXEC"), "[(nil), OK]");
}

}  // namespace
}  // namespace mayfly::server
