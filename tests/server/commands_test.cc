// Goal: commands about the server: COMMAND, INFO, SLOWLOG, LATENCY, FLUSH, SWAPDB, DEBUG and names
// not offered. Method: replies over a socket; a manual clock.
#include <gtest/gtest.h>

#include "server/served.h"

namespace mayfly::server {
namespace {

TEST(Commands, TheTableDescribesItself) {
  Served served;
  TestClient client(served.port());
  const Reply info = client.Ask("COMMAND INFO get nonsense config|set");
  ASSERT_EQ(info.items().size(), 3u);
  EXPECT_EQ(info.items()[0].items()[0].text(), "get");
  EXPECT_EQ(info.items()[0].items()[1].integer(), 2);
  EXPECT_TRUE(info.items()[1].is_null());
  EXPECT_EQ(info.items()[2].items()[0].text(), "config|set");
  EXPECT_EQ(client.Ask("COMMAND").items().size(),
            static_cast<std::size_t>(client.Ask("COMMAND COUNT").integer()));
  // With subcommands.
  const std::string all = client.Text("COMMAND LIST");
  EXPECT_NE(all.find("get,"), std::string::npos);
  EXPECT_NE(all.find("config|set,"), std::string::npos);
  EXPECT_EQ(client.Text("COMMAND LIST FILTERBY PATTERN ge*"), "[get]");
  EXPECT_EQ(client.Text("COMMAND LIST FILTERBY x y"), "ERR syntax error");
  EXPECT_EQ(client.Ask("COMMAND DOCS get").items()[0].text(), "get");
}

TEST(Commands, KeysAreFoundWithoutRunning) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("COMMAND GETKEYS del a b"), "[a, b]");
  EXPECT_EQ(client.Text("COMMAND GETKEYS bpop a b 0"), "[a, b]");
  EXPECT_EQ(client.Text("COMMAND GETKEYS ping x"), "ERR The command has no key arguments");
  EXPECT_EQ(client.Text("COMMAND GETKEYS nonsense x"), "ERR Invalid command specified");
  EXPECT_EQ(client.Text("COMMAND GETKEYS get a b"),
            "ERR Invalid number of arguments specified for command");
  EXPECT_EQ(client.Text("COMMAND GETKEYSANDFLAGS get a"), "[[a, [RO, access]]]");
  EXPECT_EQ(client.Text("COMMAND GETKEYSANDFLAGS set a b"), "[[a, [OW, update]]]");
  EXPECT_EQ(client.Text("COMMAND GETKEYSANDFLAGS del a b"),
            "[[a, [RM, delete]], [b, [RM, delete]]]");
}

TEST(Commands, SubcommandsAreCheckedLikeCommands) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("CONFIG"), "ERR wrong number of arguments for 'config' command");
  EXPECT_EQ(client.Text("CONFIG GET"), "ERR wrong number of arguments for 'config|get' command");
  EXPECT_EQ(client.Text("CONFIG nope"), "ERR unknown subcommand 'nope'. Try CONFIG HELP.");
  EXPECT_EQ(client.Ask("CONFIG HELP").items()[0].text(),
            "CONFIG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
}

TEST(Commands, KnownNamesThatAreNotOfferedSaySo) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("FAILOVER"),
            "ERR 'failover' is not offered by mayfly yet: a hand-over by the leader; REPLICAOF is");
}

TEST(Commands, InfoHasTheSectionsThatAreAskedFor) {
  Served served;
  TestClient client(served.port());
  client.Text("GET a");
  client.Text("GET");
  const std::string text = client.Text("INFO");
  for (const char* part : {"# Server\r\nredis_version:7.0.15\r\n", "connected_clients:1\r\n",
                           "used_memory:", "total_commands_processed:", "role:master\r\n",
                           "used_cpu_sys:", "errorstat_ERR:count=1\r\n", "# Mayfly\r\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
  EXPECT_EQ(text.find("cmdstat_get"), std::string::npos);
  const std::string stats = client.Text("INFO commandstats");
  EXPECT_TRUE(stats.starts_with("# Commandstats\r\n")) << stats;
  EXPECT_NE(stats.find("cmdstat_get:calls=1,"), std::string::npos) << stats;
  EXPECT_NE(stats.find("rejected_calls=1,"), std::string::npos) << stats;
  EXPECT_NE(client.Text("INFO all").find("latency_percentiles_usec_get:p50="), std::string::npos);
  EXPECT_EQ(client.Text("INFO nothing"), "");
  client.Text("CONFIG RESETSTAT");
  EXPECT_EQ(client.Text("INFO commandstats").find("cmdstat_get"), std::string::npos);
}

TEST(Commands, TheSlowlogKeepsTheNewest) {
  Served served(Served::Settings{{"slowlog-log-slower-than", "0"}, {"slowlog-max-len", "2"}});
  TestClient client(served.port());
  client.Text("SLOWLOG RESET");
  client.Text("GET a");
  client.Text("GET " + std::string(200, 'x'));
  EXPECT_EQ(client.Text("SLOWLOG LEN"), "2");
  const Reply log = client.Ask("SLOWLOG GET 1");
  ASSERT_EQ(log.items().size(), 1u);
  EXPECT_EQ(log.items()[0].items()[3].items()[0].text(), "SLOWLOG");
  EXPECT_EQ(client.Text("SLOWLOG GET -2"), "ERR count should be greater than or equal to -1");
}

// No reaper runs: the row stays due.
TEST(Commands, LatencyTellsOfTheDeadThatWaitUntilItIsReset) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("CONFIG SET latency-monitor-threshold 20"), "OK");
  ASSERT_TRUE(served.database().default_keyspace().Put("k", "v", Lifetime::For(Millis(1000))).ok());
  served.clock().Advance(std::chrono::hours(1));
  EXPECT_NE(client.Text("LATENCY LATEST").find("expire-cycle"), std::string::npos);
  EXPECT_EQ(client.Text("LATENCY RESET"), "1");
  EXPECT_EQ(client.Text("LATENCY LATEST"), "[]") << "it has been told of this one";
}

TEST(Commands, LatencyOfCommandsIsCounted) {
  Served served;
  TestClient client(served.port());
  client.Text("GET a");
  const Reply histogram = client.Ask("LATENCY HISTOGRAM get");
  ASSERT_EQ(histogram.items().size(), 2u);
  EXPECT_EQ(histogram.items()[0].text(), "get");
  EXPECT_EQ(histogram.items()[1].items()[1].integer(), 1);
  EXPECT_EQ(client.Text("LATENCY LATEST"), "[]");
  EXPECT_EQ(client.Text("LATENCY RESET"), "0");
  EXPECT_EQ(client.Text("LATENCY GRAPH x"), "ERR No samples available for event 'x'");
}

TEST(Commands, FlushAndSwap) {
  Served served;
  TestClient client(served.port());
  client.Text("SET a 0");
  client.Text("SELECT 1");
  client.Text("SET a 1");
  EXPECT_EQ(client.Text("SWAPDB 0 1"), "OK");
  EXPECT_EQ(client.Text("GET a"), "0");
  EXPECT_EQ(client.Text("FLUSHDB ASYNC"), "OK");
  EXPECT_EQ(client.Text("ROWS"), "0");
  client.Text("SELECT 0");
  EXPECT_EQ(client.Text("GET a"), "1");
  EXPECT_EQ(client.Text("FLUSHALL"), "OK");
  EXPECT_EQ(client.Text("ROWS"), "0");
  EXPECT_EQ(client.Text("FLUSHDB NOW"), "ERR syntax error");
  EXPECT_EQ(client.Text("SWAPDB x 1"), "ERR invalid first DB index");
  EXPECT_EQ(client.Text("SWAPDB 0 x"), "ERR invalid second DB index");
  EXPECT_EQ(client.Text("SWAPDB 0 99"), "ERR DB index is out of range");
}

TEST(Commands, DebugMovesTheClockWhereItIsAllowed) {
  Served served("enable-debug-command", "yes");
  TestClient client(served.port());
  EXPECT_EQ(client.Text("TIME"), "[1700000000, 0]");
  EXPECT_EQ(client.Text("DEBUG CLOCK ADVANCE 1500"), "1700000001500");
  EXPECT_EQ(client.Text("TIME"), "[1700000001, 500000]");
  served.clock().Set(WallTimeFromMs(1'600'000'000'000));
  EXPECT_EQ(client.Text("TIME"), "[1700000001, 500000]") << "as rows have it";
  EXPECT_EQ(client.Text("DEBUG CLOCK ADVANCE -1"), "ERR value is out of range");
  EXPECT_EQ(client.Text("DEBUG CLOCK SET 1800000000000"), "1800000000000");
  Served strict;
  TestClient other(strict.port());
  EXPECT_TRUE(other.Text("DEBUG CLOCK ADVANCE 1").starts_with("ERR DEBUG command not allowed."));
}

TEST(Commands, HonestAnswersAboutReplication) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("WAIT 1 100"), "0");
  EXPECT_EQ(client.Text("ROLE"), "[master, 0, []]");
  EXPECT_EQ(client.Text("REPLICAOF NO ONE"), "OK");
  EXPECT_NE(client.Text("REPLICAOF host 1").find("cannot follow"), std::string::npos);
  EXPECT_NE(client.Text("REPLICAOF host x").find("Invalid master port"), std::string::npos);
}

TEST(Commands, ADatabaseInMemoryIsNotSaved) {
  Served served;
  TestClient client(served.port());
  for (const char* const command : {"SAVE", "BGSAVE"}) {
    EXPECT_NE(client.Text(command).find("in memory"), std::string::npos) << command;
  }
  EXPECT_EQ(client.Text("LASTSAVE"), "1700000000") << "when it began, as Redis has it";
}

}  // namespace
}  // namespace mayfly::server
