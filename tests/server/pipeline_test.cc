// Goal: pipelines: replies in order, one commit for consecutive plain commands, all or nothing.
// Method: commands sent in one piece over a socket; transactions are counted, and made to fail.
#include <gtest/gtest.h>

#include "server/served.h"

namespace mayfly::server {
namespace {

std::string Wire(std::initializer_list<const char*> lines) {
  std::string bytes;
  for (const char* line : lines) bytes += std::string(line) + "\r\n";
  return bytes;
}

TEST(Pipeline, RepliesComeInTheOrderOfRequests) {
  Served served;
  TestClient client(served.port());
  client.Send(
      Wire({"SET a 1", "GET a", "PING", "nonsense x", "GET", "SET b 2", "GET b", "ECHO c"}));
  EXPECT_EQ(client.ReadText(), "OK");
  EXPECT_EQ(client.ReadText(), "1");
  EXPECT_EQ(client.ReadText(), "PONG");
  EXPECT_EQ(client.ReadText(), "ERR unknown command 'nonsense', with args beginning with: 'x' ");
  EXPECT_EQ(client.ReadText(), "ERR wrong number of arguments for 'get' command");
  EXPECT_EQ(client.ReadText(), "OK");
  EXPECT_EQ(client.ReadText(), "2");
  EXPECT_EQ(client.ReadText(), "c");
}

TEST(Pipeline, ARunOfPlainCommandsIsOneWork) {
  const ManualClock still(WallTimeFromMs(0));  // No command takes long.
  Served served({}, nullptr, still);
  TestClient client(served.port());
  const int before = served.transactions().begun;
  std::string bytes;
  for (int i = 0; i < 10; ++i) bytes += "SET key" + std::to_string(i) + " v\r\n";
  client.Send(bytes + "GET key3\r\n");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(client.ReadText(), "OK");
  EXPECT_EQ(client.ReadText(), "v");
  EXPECT_EQ(served.transactions().begun - before, 1);
}

TEST(Pipeline, LongOnesAreCutIntoBatches) {
  Served served;
  TestClient client(served.port());
  const int before = served.transactions().begun;
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += "SET k v\r\n";
  client.Send(bytes);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(client.ReadText(), "OK");
  EXPECT_GE(served.transactions().begun - before, 1000 / 64);
}

TEST(Pipeline, ACommandThatFailsLeavesTheOthersAlone) {
  Served served;
  TestClient client(served.port());
  client.Send(Wire({"SET a 1", "FAIL a 2", "GET a"}));
  EXPECT_EQ(client.ReadText(), "OK");
  EXPECT_EQ(client.ReadText(), "ERR it is not to be");
  EXPECT_EQ(client.ReadText(), "1");
}

TEST(Pipeline, AFailedCommitTurnsAllRepliesOfItsBatchIntoErrors) {
  Served served;
  TestClient client(served.port());
  served.transactions().FailNextCommit();
  client.Send(Wire({"SET a 1", "GET a", "SET b 2", "PING", "GET a"}));
  EXPECT_EQ(client.ReadText(), "ERR the disk is full");
  EXPECT_EQ(client.ReadText(), "ERR the disk is full");
  EXPECT_EQ(client.ReadText(), "ERR the disk is full");
  EXPECT_EQ(client.ReadText(), "PONG");
  EXPECT_EQ(client.ReadText(), "(nil)");
}

TEST(Pipeline, WhatNeedsEverythingRunsAlone) {
  Served served;
  TestClient client(served.port());
  const int before = served.transactions().begun;
  client.Send(Wire({"SET a 1", "ROWS", "SET b 2", "ROWS"}));
  EXPECT_EQ(client.ReadText(), "OK");
  EXPECT_EQ(client.ReadText(), "1");
  EXPECT_EQ(client.ReadText(), "OK");
  EXPECT_EQ(client.ReadText(), "2");
  EXPECT_EQ(served.transactions().begun - before, 4);
}

TEST(Pipeline, TheDatabaseIsTheOneSelectedBefore) {
  Served served;
  TestClient client(served.port());
  client.Send(Wire({"SET a 0", "SELECT 5", "SET a 5", "GET a", "SELECT 0", "GET a"}));
  for (const char* expected : {"OK", "OK", "OK", "5", "OK", "0"}) {
    EXPECT_EQ(client.ReadText(), expected);
  }
}

TEST(Pipeline, RowsDieAtTheirDeadline) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("SET a 1 100"), "OK");
  served.clock().Advance(Millis(99));
  EXPECT_EQ(client.Text("GET a"), "1");
  served.clock().Advance(Millis(1));
  EXPECT_EQ(client.Text("GET a"), "(nil)");
  served.clock().Advance(Millis(1));
  EXPECT_EQ(client.Text("GET a"), "(nil)");
}

TEST(Pipeline, ManyClientsOnSeveralThreadsKeepTheirReplies) {
  Served served;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      TestClient client(served.port());
      for (int i = 0; i < 50; ++i) {
        const std::string value = std::to_string(t) + "-" + std::to_string(i);
        const std::string key = "k" + std::to_string(t);
        client.Send("SET " + key + " " + value + "\r\nGET " + key + "\r\n");
        if (client.ReadText() != "OK" || client.ReadText() != value) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace mayfly::server
