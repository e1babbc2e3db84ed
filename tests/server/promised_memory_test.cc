// Goal: data of commands in the server's memory is dropped in time for a promise, and TTL.PROVE
// reports the rest without delaying clients. Method: a server in memory, on a manual clock; secrets
// in arguments.
#include "server/session/promised_memory.h"

#include <gtest/gtest.h>

#include "server/front_served.h"
#include "server/served.h"

namespace mayfly::server {
namespace {

using namespace std::chrono_literals;

void Promise(Database& database, const std::string& keyspace, Millis purge_within) {
  const auto made = database.CreateKeyspace(keyspace, {.purge_within = purge_within});
  ASSERT_TRUE(made.has_value()) << made.status().ToString();
}

TEST(PromisedMemory, TheSlowlogForgetsArgumentsAfterHalfOfTheShortestPromise) {
  Served served("slowlog-log-slower-than", "0");
  TestClient client(served.port());
  client.Text("SET alice:4711 SECRET");
  served.clock().Advance(1h);
  KeepPromisesInMemory(served.server());
  EXPECT_NE(client.Text("SLOWLOG GET -1").find("SECRET"), std::string::npos) << "nobody promised";

  Promise(served.database(), "long", 24h);
  Promise(served.database(), "short", 10s);
  client.Text("SET bob:4712 SECRET2");
  served.clock().Advance(5s);
  KeepPromisesInMemory(served.server());
  std::string log = client.Text("SLOWLOG GET -1");
  EXPECT_EQ(log.find("alice:4711"), std::string::npos) << log;
  EXPECT_NE(log.find("SET, (forgotten: 2)"), std::string::npos) << log;
  EXPECT_NE(log.find("bob:4712"), std::string::npos) << "half of the promise is not over";
  served.clock().Advance(1ms);
  KeepPromisesInMemory(served.server());
  KeepPromisesInMemory(served.server());
  log = client.Text("SLOWLOG GET -1");
  EXPECT_EQ(log.find("SECRET"), std::string::npos) << log;
  EXPECT_EQ(log.find("bob:4712"), std::string::npos) << log;
}

TEST(PromisedMemory, ClientsThatMonitorAndDoNotReadHaveAQuarterOfTheShortestPromise) {
  Served served;
  TestClient monitor(served.port());
  EXPECT_EQ(monitor.Text("MONITOR"), "OK");
  KeepPromisesInMemory(served.server());
  EXPECT_EQ(served.server().monitors().send_time_max(), Millis(0));
  Promise(served.database(), "short", 10s);
  KeepPromisesInMemory(served.server());
  EXPECT_EQ(served.server().monitors().send_time_max(), 2500ms);
}

TEST(PromisedMemory, AMonitorThatDoesNotReadIsClosed) {
  Served served;
  TestClient monitor(served.port());
  EXPECT_EQ(monitor.Text("MONITOR"), "OK");
  Promise(served.database(), "short", 1s);
  KeepPromisesInMemory(served.server());
  TestClient client(served.port());
  // More than sockets buffer.
  const std::string large(1 << 20, 'x');
  for (int i = 0; i < 64; ++i) client.Text("SET key " + large);
  const SteadyTime begin = SystemClock::Process().Steady();
  while (!served.server().monitors().empty()) {
    ASSERT_LT(SystemClock::Process().Steady() - begin, 60s) << "it is still served";
    EXPECT_EQ(client.Text("PING"), "PONG");
  }
}

// Polls until the job is over.
Reply AwaitJob(TestClient& client, const std::string& id) {
  const SteadyTime begin = SystemClock::Process().Steady();
  for (;;) {
    Reply job = client.Ask("TTL.JOB GET " + id);
    const std::string state(job.items()[5].text());
    if (state != "running" && state != "waiting") return job;
    EXPECT_LT(SystemClock::Process().Steady() - begin, 60s);
  }
}

TEST(Proving, IsAJobThatSaysWhatIsLeftAndWhere) {
  FrontServed served;
  TestClient client(served.port());
  client.Text("TTL.POLICY SET purge-within 3600000");
  client.Text("SET alice:4711 SECRET");
  const std::string found = client.Text("TTL.PROVE FIND alice:4711");
  AwaitJob(client, found);
  std::string text = client.Text("TTL.JOB GET " + found);
  EXPECT_NE(text.find("every promise is kept; the bytes were FOUND"), std::string::npos) << text;
  EXPECT_NE(text.find("alice:4711"), std::string::npos) << text;
  EXPECT_NE(text.find("db0, purge-within, 3600000, state, kept"), std::string::npos) << text;
  EXPECT_EQ(text.find("db1,"), std::string::npos) << "empty, and promises nothing: " << text;

  const std::string absent = client.Text("TTL.PROVE FIND nobody-at-all");
  AwaitJob(client, absent);
  text = client.Text("TTL.JOB GET " + absent);
  EXPECT_NE(text.find("the bytes are in no file and no log"), std::string::npos) << text;
  EXPECT_NE(client.Text("TTL.JOB LIST").find("prove"), std::string::npos);
}

TEST(Proving, RefusesWhatItDoesNotKnow) {
  FrontServed served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("TTL.PROVE FIND"), "ERR syntax error");
  EXPECT_EQ(client.Text("TTL.PROVE SEEK x"), "ERR syntax error");
  EXPECT_EQ(client.Text("TTL.JOB GET 7"), "ERR there is no job 7");
  EXPECT_EQ(client.Text("TTL.JOB CANCEL 7"), "ERR there is no job 7 that waits or runs");
  EXPECT_EQ(client.Text("TTL.JOB FORGET 7"), "ERR syntax error");
}

}  // namespace
}  // namespace mayfly::server
