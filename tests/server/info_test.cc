// Goal: INFO counts over all threads: hits and misses, and current rates.
// Method: commands of clients on two threads, then lines of INFO.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "server/front_served.h"

namespace mayfly::server {
namespace {

class Info : public testing::Test {
 protected:
  std::string Line(const std::string& name) {
    const std::string text = client_.Text("INFO stats");
    const std::size_t at = text.find("\r\n" + name + ":");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size() + 3;
    return text.substr(begin, text.find('\r', begin) - begin);
  }
  std::string Reads() { return Line("keyspace_hits") + "/" + Line("keyspace_misses"); }

  FrontServed served_;
  TestClient client_{served_.port()};
  TestClient second_{served_.port()};
};

TEST_F(Info, HitsAndMissesAreThoseOfAllClients) {
  EXPECT_EQ(Reads(), "0/0");
  client_.Text("SET a 1");
  client_.Text("MGET a b a");
  second_.Text("GET a");
  second_.Text("GET b");
  EXPECT_EQ(Reads(), "3/2");
  EXPECT_EQ(client_.Text("CONFIG RESETSTAT"), "OK");
  EXPECT_EQ(Reads(), "0/0");
}

TEST_F(Info, EachCommandOfAPipelineCounts) {
  client_.Send("SET a 1\r\nGET a\r\nGET b\r\nDEL a\r\nGET a\r\nSET b 1\r\nGET b\r\n");
  for (int i = 0; i < 7; ++i) client_.Read();
  EXPECT_EQ(Reads(), "2/2");
}

TEST_F(Info, TransactionsAndTheirWatchesCountWhatTheirCommandsRead) {
  client_.Text("SET a 1");
  for (const char* line : {"WATCH a b", "MULTI", "GET a", "GET b", "SET b 1", "GET b", "EXEC"}) {
    client_.Text(line);
  }
  EXPECT_EQ(Reads(), "2/1");
}

TEST_F(Info, ScriptsCountWhatTheyCallAndNotTheKeysTheyName) {
  client_.Text("SET a 1");
  client_.Text("EVAL 'redis.call(\"get\",KEYS[1]) return redis.call(\"mget\",\"b\",\"a\")' 2 a c");
  EXPECT_EQ(Reads(), "2/1");
  client_.Text("EVAL_RO 'return redis.call(\"exists\",KEYS[1])' 1 b");
  EXPECT_EQ(Reads(), "2/2");
}

TEST_F(Info, CountsTheKeysWhoseFieldsHaveDeadlines) {
  const auto subexpiry = [&]() -> std::string {
    const std::string text = client_.Text("INFO keyspace");
    const std::size_t at = text.find("subexpiry=");
    return at == std::string::npos ? "none" : text.substr(at + 10, text.find('\r', at) - at - 10);
  };
  const std::pair<const char*, const char*> steps[] = {
      {"SET plain 1", "0"},
      {"HSET h a 1 b 2", "0"},
      {"HEXPIRE h 1000 FIELDS 1 a", "1"},
      {"HEXPIRE h 1000 FIELDS 1 b", "1"},
      {"HPERSIST h FIELDS 1 a", "1"},
      {"COPY h copy", "2"},
      {"RENAME copy other", "2"},
      {"EXPIRE other 1000", "2"},
      {"HSET h b 3", "1"},  // HSET removes the field's deadline.
      {"HEXPIRE h 1000 FIELDS 1 a", "2"},
      {"SET other 1", "1"},
      {"HPEXPIREAT h 1 FIELDS 1 a", "0"},
      {"HEXPIRE h 1000 FIELDS 1 b", "1"},
      {"DEL h", "0"},
  };
  for (const auto& [command, expected] : steps) {
    client_.Text(command);
    EXPECT_EQ(subexpiry(), expected) << command;
    EXPECT_TRUE(served_.database().Check()->clean()) << command;
  }
}

TEST_F(Info, ToTellOfAMissIsNotToReadTwice) {
  client_.Text("CONFIG SET notify-keyspace-events KEm");
  client_.Text("GET a");
  client_.Text("SINTER a b");
  EXPECT_EQ(Reads(), "0/3");
}

// The notes are from the future: then the interval counts as a second, however long the test takes,
// and notes that the server makes meanwhile come too soon to count.
TEST_F(Info, RatesAreOfWhatCameAfterTheNotes) {
  Server& server = served_.server();
  const auto ahead = server.Steady() + std::chrono::hours(1);
  for (int i = 0; i < 100; ++i) client_.Text("PING");
  server.throughput().Restart(ahead, server.statistics().totals());
  EXPECT_EQ(Line("instantaneous_ops_per_sec"), "0");
  server.throughput().Restart(ahead, server.statistics().totals());
  for (int i = 0; i < 200; ++i) client_.Text("PING");
  EXPECT_EQ(Line("instantaneous_ops_per_sec"), "200");
  EXPECT_GT(std::stod(Line("instantaneous_input_kbps")), 200 * 10 / 1024.0);
}

TEST_F(Info, RatesBeginAgainWithTheTotals) {
  Server& server = served_.server();
  const Throughput::Totals many{.commands = 2'000'000};
  const Throughput::Totals half{.commands = 1'000'000};
  server.throughput().Restart(server.Steady() + std::chrono::hours(1), many);
  EXPECT_EQ(server.throughput().At(server.Steady(), half).commands, 0);
  EXPECT_EQ(client_.Text("CONFIG RESETSTAT"), "OK");
  EXPECT_GT(server.throughput().At(server.Steady(), half).commands, 0);
}

}  // namespace
}  // namespace mayfly::server
