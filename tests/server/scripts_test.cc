// Goal: while a script runs long, clients on every thread get BUSY, and can kill it.
// Method: endless scripts, clients on both threads of a server; a script is known to run before the
// next step, and every step waits for a reply.
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "core/transactions/latched_transaction.h"
#include "server/front_served.h"
#include "server/net/network.h"

namespace mayfly::server {
namespace {

constexpr const char* kBusy =
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";
constexpr const char* kForever = "EVAL 'while true do end' 0";
constexpr const char* kWritesForever =
    "EVAL 'redis.call(\"set\", KEYS[1], \"1\") while true do end' 1 a";

using Clients = std::vector<std::unique_ptr<TestClient>>;

Clients Connect(const FrontServed& served, int count) {
  Clients clients;
  for (int i = 0; i < count; ++i) clients.push_back(std::make_unique<TestClient>(served.port()));
  return clients;
}

bool WasKilled(const std::string& reply) {
  return reply.find("Script killed by user with SCRIPT KILL...") != std::string::npos;
}

TEST(Scripts, LongOnesMakeOthersBusyAndAnyClientCanEndThem) {
  const FrontServed served("busy-reply-threshold", "20");
  const Clients clients = Connect(served, 4);
  for (std::size_t runs = 0; runs < clients.size(); ++runs) {
    for (std::size_t kills = 0; kills < clients.size(); ++kills) {
      if (kills == runs) continue;
      clients[runs]->SendLine(kForever);
      for (std::size_t i = 0; i < clients.size(); ++i) {
        if (i == runs) continue;
        // Before the script has begun there is none to kill.
        std::string reply;
        do reply = clients[i]->Text("GET a");
        while (reply == "(nil)");
        EXPECT_EQ(reply, kBusy);
        EXPECT_EQ(clients[i]->Text("PING"), kBusy);
        EXPECT_EQ(clients[i]->Text("EVAL 'return 1' 0"), kBusy);
        EXPECT_EQ(clients[i]->Text("SCRIPT LOAD 'return 1'"), kBusy);
      }
      EXPECT_EQ(clients[kills]->Text("SCRIPT KILL"), "OK");
      EXPECT_TRUE(WasKilled(clients[runs]->ReadText()));
      for (const auto& client : clients) EXPECT_EQ(client->Text("PING"), "PONG");
    }
  }
  EXPECT_EQ(clients[0]->Text("SCRIPT KILL"), "NOTBUSY No scripts in execution right now.");
}

TEST(Scripts, CommandsWaitUntilTheThresholdAndRunWhenTheScriptEnds) {
  FrontServed served("busy-reply-threshold", "600000");
  const Clients clients = Connect(served, 6);
  clients[0]->SendLine(kForever);
  served.AwaitScript();
  clients[1]->SendLine("SET a 1");
  clients[2]->SendLine("SET b 1");
  clients[3]->SendLine("EVAL 'return 7' 0");
  clients[4]->SendLine("WATCH a");
  EXPECT_EQ(clients[5]->Text("SCRIPT KILL"), "OK");
  EXPECT_TRUE(WasKilled(clients[0]->ReadText()));
  EXPECT_EQ(clients[1]->ReadText(), "OK");
  EXPECT_EQ(clients[2]->ReadText(), "OK");
  EXPECT_EQ(clients[3]->ReadText(), "7");
  EXPECT_EQ(clients[4]->ReadText(), "OK");
}

TEST(Scripts, WithoutAThresholdNobodyIsRefused) {
  FrontServed served("busy-reply-threshold", "0");
  const Clients clients = Connect(served, 3);
  clients[0]->SendLine(kForever);
  served.AwaitScript();
  clients[1]->SendLine("PING");
  EXPECT_EQ(clients[2]->Text("SCRIPT KILL"), "OK");
  EXPECT_EQ(clients[1]->ReadText(), "PONG");
}

TEST(Scripts, WhatChangesAConnectionAloneIsAnsweredMeanwhile) {
  FrontServed served("busy-reply-threshold", "1");
  const Clients clients = Connect(served, 4);
  clients[0]->SendLine(kForever);
  served.AwaitScript();
  for (const std::size_t i : {1u, 2u}) {
    EXPECT_EQ(clients[i]->Text("MULTI"), "OK");
    EXPECT_EQ(clients[i]->Text("DISCARD"), "OK");
    EXPECT_EQ(clients[i]->Text("AUTH default x"), "OK");
    EXPECT_EQ(clients[i]->Text("RESET"), "RESET");
    EXPECT_EQ(clients[i]->Text("NOSUCH"),
              "ERR unknown command 'NOSUCH', with args beginning with: ");
  }
  EXPECT_EQ(clients[3]->Text("QUIT"), "OK");
  EXPECT_EQ(clients[1]->Text("SCRIPT KILL"), "OK");
}

TEST(Scripts, ATransactionThatMeetsOneIsGivenUp) {
  FrontServed served("busy-reply-threshold", "1");
  const Clients clients = Connect(served, 4);
  EXPECT_EQ(clients[1]->Text("MULTI"), "OK");
  EXPECT_EQ(clients[1]->Text("INCR n"), "QUEUED");
  EXPECT_EQ(clients[2]->Text("MULTI"), "OK");
  clients[0]->SendLine(kForever);
  served.AwaitScript();
  EXPECT_EQ(clients[1]->Text("EXEC"),
            std::string("EXECABORT Transaction discarded because of: ") + kBusy);
  EXPECT_EQ(clients[2]->Text("INCR n"), kBusy);
  EXPECT_EQ(clients[3]->Text("SCRIPT KILL"), "OK");
  EXPECT_TRUE(WasKilled(clients[0]->ReadText()));
  EXPECT_EQ(clients[2]->Text("EXEC"),
            "EXECABORT Transaction discarded because of previous errors.");
  EXPECT_EQ(clients[1]->Text("EXEC"), "ERR EXEC without MULTI");
  EXPECT_EQ(clients[3]->Text("GET n"), "(nil)");
}

TEST(Scripts, OneWithinATransactionCanBeEnded) {
  FrontServed served("busy-reply-threshold", "1");
  const Clients clients = Connect(served, 3);
  EXPECT_EQ(clients[0]->Text("MULTI"), "OK");
  EXPECT_EQ(clients[0]->Text("SET a 1"), "QUEUED");
  EXPECT_EQ(clients[0]->Text(kForever), "QUEUED");
  clients[0]->SendLine("EXEC");
  served.AwaitScript();
  EXPECT_EQ(clients[1]->Text("GET a"), kBusy);
  EXPECT_EQ(clients[2]->Text("GET a"), kBusy);
  EXPECT_EQ(clients[2]->Text("SCRIPT KILL"), "OK");
  EXPECT_TRUE(WasKilled(clients[0]->ReadText()));
  EXPECT_EQ(clients[1]->Text("GET a"), "1");
}

TEST(Scripts, OneThatHasWrittenEndsWithTheServerAndLeavesNothing) {
  FrontServed served("busy-reply-threshold", "1");
  const Clients clients = Connect(served, 3);
  clients[0]->SendLine(kWritesForever);
  served.AwaitScript();
  std::string reply;
  do reply = clients[1]->Text("GET a");
  while (reply != kBusy);
  // It may not have reached its write yet; if so, it was killed, and is started again.
  while ((reply = clients[2]->Text("SCRIPT KILL")) == "OK") {
    EXPECT_TRUE(WasKilled(clients[0]->ReadText()));
    clients[0]->SendLine(kWritesForever);
    served.AwaitScript();
  }
  EXPECT_TRUE(reply.starts_with("UNKILLABLE ")) << reply;
  EXPECT_EQ(clients[1]->Text("SHUTDOWN"), kBusy);
  EXPECT_EQ(clients[2]->Text("SHUTDOWN SAVE"), kBusy);
  clients[1]->SendLine("SHUTDOWN NOSAVE");
  EXPECT_TRUE(clients[1]->Closed());
  EXPECT_TRUE(clients[2]->Closed());
  EXPECT_TRUE(served.Join().ok());
  const auto space = served.database().OpenKeyspace("db0");
  ASSERT_TRUE(space);
  EXPECT_FALSE((*space)->Get("a"));
}

TEST(Scripts, StoppingTheServerEndsThem) {
  FrontServed served;
  TestClient client(served.port());
  client.SendLine(kForever);
  served.AwaitScript();
  served.network().Stop();
  EXPECT_TRUE(served.Join().ok());
}

TEST(Scripts, AClientThatGoesAwayLeavesItsScriptRunning) {
  FrontServed served("busy-reply-threshold", "1");
  const Clients clients = Connect(served, 2);
  auto gone = std::make_unique<TestClient>(served.port());
  gone->SendLine(kForever);
  served.AwaitScript();
  gone.reset();
  EXPECT_EQ(clients[0]->Text("GET a"), kBusy);
  EXPECT_EQ(clients[1]->Text("SCRIPT KILL"), "OK");
  // It stops at its next check, and so a moment after the request.
  std::string reply;
  do reply = clients[0]->Text("SET a 1");
  while (reply == kBusy);
  EXPECT_EQ(reply, "OK");
  EXPECT_EQ(clients[1]->Text("GET a"), "1");
}

TEST(Scripts, MessagesForItsClientComeBehindItsReply) {
  FrontServed served("busy-reply-threshold", "1");
  const Clients clients = Connect(served, 3);
  EXPECT_EQ(clients[0]->Ask("HELLO 3").kind, Reply::Kind::kMap);
  clients[0]->SendLine("SUBSCRIBE c");
  clients[0]->ReadText();
  clients[0]->SendLine(kForever);
  served.AwaitScript();
  served.front().Publish("c", "m");
  EXPECT_EQ(clients[1]->Text("SCRIPT KILL"), "OK");
  EXPECT_TRUE(WasKilled(clients[0]->ReadText()));
  EXPECT_EQ(clients[0]->Read().kind, Reply::Kind::kPush);
}

TEST(Scripts, MonitorsSeeThemAndThenWhatTheyCall) {
  FrontServed served;
  TestClient monitor(served.port());
  EXPECT_EQ(monitor.Text("MONITOR"), "OK");
  TestClient client(served.port());
  EXPECT_EQ(client.Text("EVAL \"return redis.call('set', KEYS[1], ARGV[1])\" 1 a b"), "OK");
  const std::string script = monitor.ReadText();
  EXPECT_NE(script.find(" [0 127.0.0.1:"), std::string::npos) << script;
  EXPECT_TRUE(script.ends_with(" \"1\" \"a\" \"b\"")) << script;
  const std::string called = monitor.ReadText();
  EXPECT_TRUE(called.ends_with(" [0 lua] \"set\" \"a\" \"b\"")) << called;
}

TEST(Scripts, WhatTheyPushServesThoseWhoWait) {
  FrontServed served;
  const Clients clients = Connect(served, 3);
  clients[0]->SendLine("BLPOP a 0");
  clients[1]->SendLine("BLPOP b 0");
  served.AwaitBlocked(2);
  clients[2]->SendLine(
      "EVAL 'redis.call(\"rpush\",\"a\",\"1\") redis.call(\"rpush\",\"b\",\"2\")' 0");
  EXPECT_EQ(clients[2]->ReadText(), "(nil)");
  EXPECT_EQ(clients[0]->Read().items().size(), 2u);
  EXPECT_EQ(clients[1]->Read().items().size(), 2u);
}

// Holds a key of database 0 as another client's transaction would.
std::unique_ptr<core::LatchedTransaction> Hold(FrontServed& served, Bytes key, bool writes) {
  const auto rows = served.database().OpenKeyspace("db0");
  auto transaction = core::BeginLatched(served.database(), {.keys = {{rows->get(), key, writes}}});
  return *std::move(transaction);
}

TEST(Scripts, HoldTheKeysTheyNameAndNoOthers) {
  FrontServed served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("SET mine 1"), "OK");
  const auto held = Hold(served, "other", true);
  // A latched transaction on all keys would wait for the other key.
  EXPECT_EQ(client.Text("EVAL 'return redis.call(\"incr\", KEYS[1])' 1 mine"), "2");
  EXPECT_EQ(client.Text("EVALSHA_RO 0000000000000000000000000000000000000000 1 mine"),
            "NOSCRIPT No matching script. Please use EVAL.");
}

TEST(Scripts, ThatOnlyReadShareTheirKeysWithOtherReaders) {
  FrontServed served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("SET mine 1"), "OK");
  const auto held = Hold(served, "mine", false);
  EXPECT_EQ(client.Text("EVAL_RO 'return redis.call(\"get\", KEYS[1])' 1 mine"), "1");
  EXPECT_EQ(client.Text("GET mine"), "1");
  EXPECT_EQ(client.Text("EVAL_RO 'return redis.pcall(\"incr\", KEYS[1])' 1 mine"),
            "ERR Write commands are not allowed from read-only scripts.");
}

TEST(Scripts, ThatUseOtherKeysHappenOnceWithThem) {
  FrontServed served("notify-keyspace-events", "E$");
  TestClient client(served.port());
  TestClient listener(served.port());
  listener.SendLine("PSUBSCRIBE *");
  listener.Read();
  // Caught or not, a call beyond the keys ends the first run.
  for (const char* const call : {"call", "pcall"}) {
    EXPECT_EQ(client.Text("FLUSHALL"), "OK");
    EXPECT_EQ(client.Text("CONFIG RESETSTAT"), "OK");
    const std::string script =
        std::string(
            "redis.call('incr', KEYS[1]) redis.call('publish', 'news', KEYS[1]) "
            "pcall(redis.") +
        call +
        ", 'incr', 'other') redis.call('incr', 'other') return redis.call('get', KEYS[1]) "
        "..' '.. redis.call('get', 'other')";
    EXPECT_EQ(client.Text("EVAL \"" + script + "\" 1 mine"), "1 2");
    const std::string stats = client.Text("INFO commandstats");
    EXPECT_NE(stats.find("cmdstat_incr:calls=3,"), std::string::npos) << stats;
    EXPECT_NE(stats.find("cmdstat_publish:calls=1,"), std::string::npos) << stats;
    EXPECT_NE(stats.find("cmdstat_eval:calls=1,"), std::string::npos) << stats;
    EXPECT_NE(client.Text("INFO stats").find("keyspace_hits:2\r"), std::string::npos);
    EXPECT_EQ(client.Text("EVAL \"" + script + "\" 1 mine"), "2 4");
  }
  EXPECT_EQ(client.Text("PUBLISH end end"), "1");
  int messages = 0;
  int increments = 0;
  for (std::string channel; channel != "end";) {
    const Reply message = listener.Read();
    channel = message.items()[2].text();
    messages += channel == "news" ? 1 : 0;
    increments += channel == "__keyevent@0__:incrby" ? 1 : 0;
  }
  EXPECT_EQ(messages, 4);
  EXPECT_EQ(increments, 12);
}

TEST(Scripts, ThatNeedEverythingGetIt) {
  const FrontServed served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("SET mine 1"), "OK");
  EXPECT_EQ(
      client.Text("EVAL 'redis.call(\"incr\", KEYS[1]) return redis.call(\"dbsize\")' 1 mine"),
      "1");
  EXPECT_EQ(client.Text("EVAL 'redis.call(\"incr\", KEYS[1]) redis.call(\"select\", 1) return "
                        "redis.call(\"incr\", KEYS[1])' 1 mine"),
            "1");
  EXPECT_EQ(client.Text("EVAL 'redis.call(\"incr\", KEYS[1]) return #redis.call(\"keys\", \"*\")' "
                        "1 mine"),
            "1");
  EXPECT_EQ(client.Text("EVAL 'redis.call(\"incr\", KEYS[1]) redis.call(\"flushall\") return "
                        "redis.call(\"incr\", KEYS[1])' 1 mine"),
            "1");
  EXPECT_EQ(client.Text("GET mine"), "1");
}

TEST(Scripts, ThatWriteMoreThanTheyMayAreTakenBack) {
  const FrontServed served("script-write-max", "1mb");
  TestClient client(served.port());
  for (const char* const keys : {"0", "1 mine"}) {
    const std::string reply = client.Text(
        std::string("EVAL 'for i = 1, 1e6 do pcall(redis.call, \"set\", \"k\" .. i, i) end' ") +
        keys);
    EXPECT_NE(reply.find("script-write-max"), std::string::npos) << reply;
    EXPECT_EQ(client.Text("DBSIZE"), "0");
  }
  EXPECT_EQ(client.Text("EVAL 'for i = 1, 1000 do redis.call(\"set\", \"k\" .. i, i) end' 0"),
            "(nil)");
  EXPECT_EQ(client.Text("DBSIZE"), "1000");
}

TEST(Scripts, ScriptsAndCommandsOfManyClientsLoseNothing) {
  const FrontServed served;
  constexpr int kClients = 6;
  constexpr int kRounds = 150;
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&served, i] {
      TestClient client(served.port());
      for (int round = 0; round < kRounds; ++round) {
        const char* const ways[] = {"EVAL 'return redis.call(\"incr\", KEYS[1])' 1 n", "INCR n",
                                    "EVAL 'return redis.call(\"incr\", \"n\")' 1 m"};
        client.Text(ways[i % 3]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  TestClient client(served.port());
  EXPECT_EQ(client.Text("GET n"), std::to_string(kClients * kRounds));
}

// Lines about a script's calls come while it runs, and wait for its reply.
TEST(Scripts, AMonitorThatRunsOneSeesAllItsCalls) {
  const FrontServed served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("MONITOR"), "OK");
  constexpr int kCalls = 3000;
  const std::string key = "a key that is too long to lie within a string";
  client.SendLine("EVAL 'for i = 1, tonumber(ARGV[1]) do redis.call(\"get\", KEYS[1]) end' 1 \"" +
                  key + "\" " + std::to_string(kCalls));
  const std::string end = "lua] \"get\" \"" + key + "\"";
  int seen = 0;
  while (seen < kCalls) {
    const std::string line = client.ReadText();
    if (line.ends_with(end)) {
      ++seen;
    } else {
      ASSERT_TRUE(line == "(nil)" || line.find("] \"EVAL\" ") != std::string::npos) << line;
    }
  }
}

}  // namespace
}  // namespace mayfly::server
