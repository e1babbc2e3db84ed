// Goal: a pipeline of long commands lets the other clients of its thread have their turns, keeps the
// order of its replies and transactions, and is run to its end for a client that has left.
// Method: one thread; a command that moves the clock by which the server measures; the first waits
// until everything has been sent.
#include <gtest/gtest.h>

#include <memory>
#include <semaphore>
#include <string>
#include <vector>

#include "server/command/limits.h"
#include "server/served.h"
#include "server/test_commands.h"

namespace mayfly::server {
namespace {

class Turns : public ::testing::Test {
 protected:
  Turns() {
    OnSlow([this](const std::string& name) {
      ran_.push_back(name);
      if (name == "first") {
        begun_.release();
        all_sent_.acquire();
      }
      real_clock_.Advance(takes_);
    });
  }
  ~Turns() override { OnSlow(nullptr); }

  // Once a command named "first" runs, sends those of the other clients.
  void SendMeanwhile(const std::vector<std::pair<TestClient*, std::string>>& others) {
    begun_.acquire();
    for (const auto& [client, bytes] : others) client->Send(bytes);
    all_sent_.release();
  }

  Millis takes_ = kTurnTime;
  ManualClock real_clock_{WallTimeFromMs(0)};
  std::vector<std::string> ran_;  // By the one thread of the server.
  std::binary_semaphore begun_{0};
  std::binary_semaphore all_sent_{0};
  Served served_{{{"threads", "1"}}, nullptr, real_clock_};
};

TEST_F(Turns, AnotherClientHasItsTurnAfterOneLongCommand) {
  TestClient busy(served_.port());
  TestClient other(served_.port());
  EXPECT_EQ(other.Text("PING"), "PONG");
  busy.Send("SLOW first\r\nSLOW second\r\nSLOW third\r\n");
  SendMeanwhile({{&other, "SLOW other\r\n"}});
  EXPECT_EQ(other.ReadText(), "other");
  for (const char* name : {"first", "second", "third"}) EXPECT_EQ(busy.ReadText(), name);
  EXPECT_EQ(ran_, (std::vector<std::string>{"first", "other", "second", "third"}));
}

TEST_F(Turns, TwoLongPipelinesAlternate) {
  TestClient one(served_.port());
  TestClient two(served_.port());
  EXPECT_EQ(two.Text("PING"), "PONG");
  one.Send("SLOW first\r\nSLOW a2\r\nSLOW a3\r\n");
  SendMeanwhile({{&two, "SLOW b1\r\nSLOW b2\r\nSLOW b3\r\n"}});
  for (const char* name : {"first", "a2", "a3"}) EXPECT_EQ(one.ReadText(), name);
  for (const char* name : {"b1", "b2", "b3"}) EXPECT_EQ(two.ReadText(), name);
  ASSERT_EQ(ran_.size(), 6u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NE(ran_[2 * i][0] == 'b', ran_[2 * i + 1][0] == 'b') << "in place " << 2 * i;
  }
}

TEST_F(Turns, ShortCommandsStayTogether) {
  takes_ = kTurnTime / 4;
  TestClient busy(served_.port());
  TestClient other(served_.port());
  EXPECT_EQ(other.Text("PING"), "PONG");
  const int before = served_.transactions().begun;
  busy.Send("SLOW first\r\nSLOW second\r\nSLOW third\r\n");
  SendMeanwhile({{&other, "SLOW other\r\n"}});
  EXPECT_EQ(other.ReadText(), "other");
  for (const char* name : {"first", "second", "third"}) EXPECT_EQ(busy.ReadText(), name);
  EXPECT_EQ(ran_, (std::vector<std::string>{"first", "second", "third", "other"}));
  EXPECT_EQ(served_.transactions().begun - before, 2);
}

TEST_F(Turns, ATransactionIsOneTurn) {
  TestClient busy(served_.port());
  TestClient other(served_.port());
  EXPECT_EQ(other.Text("PING"), "PONG");
  busy.Send("MULTI\r\nSLOW first\r\nSLOW second\r\nEXEC\r\nSLOW third\r\n");
  SendMeanwhile({{&other, "SLOW other\r\n"}});
  EXPECT_EQ(other.ReadText(), "other");
  for (const char* reply : {"OK", "QUEUED", "QUEUED", "[first, second]", "third"}) {
    EXPECT_EQ(busy.ReadText(), reply);
  }
  EXPECT_EQ(ran_, (std::vector<std::string>{"first", "second", "other", "third"}));
}

// A program may send its commands and leave: printf ... | nc.
TEST_F(Turns, ThePipelineOfAClientThatLeftIsRunToItsEnd) {
  TestClient other(served_.port());
  EXPECT_EQ(other.Text("PING"), "PONG");
  std::string commands = "SLOW first\r\n";
  for (int i = 2; i <= 100; ++i) commands += "SLOW " + std::to_string(i) + "\r\n";
  auto leaving = std::make_unique<TestClient>(served_.port());
  leaving->Send(commands);
  begun_.acquire();
  leaving.reset();
  all_sent_.release();
  while (served_.server().clients().size() > 1) EXPECT_EQ(other.Text("PING"), "PONG");
  EXPECT_EQ(ran_.size(), 100u);
}

TEST_F(Turns, AClientThatWaitsAfterALongCommandIsServed) {
  TestClient busy(served_.port());
  TestClient other(served_.port());
  EXPECT_EQ(other.Text("PING"), "PONG");
  busy.Send("SLOW first\r\nBPOP list 0\r\nSLOW last\r\n");
  SendMeanwhile({{&other, "SLOW other\r\n"}});
  EXPECT_EQ(other.ReadText(), "other");
  EXPECT_EQ(busy.ReadText(), "first");
  served_.AwaitBlocked(1);
  EXPECT_EQ(other.Text("SET list v"), "OK");
  EXPECT_EQ(busy.ReadText(), "[list, v]");
  EXPECT_EQ(busy.ReadText(), "last");
}

}  // namespace
}  // namespace mayfly::server
