// Goal: commands about all keys see those of all shards, once each: for a plain client on all servers,
// for one that speaks cluster on this one. Method: two servers over eight shards in memory; the
// table of commands.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "server/front_served.h"
#include "shards/cluster_served.h"

namespace mayfly::server {
namespace {

class AllShards : public testing::Test {
 protected:
  AllShards() {
    speaker.Text("READONLY");
    for (int i = 0; i < 100; ++i) {
      const std::string key = "key" + std::to_string(i);
      keys.insert(key);
      EXPECT_EQ(client.Text("SET " + key + " " + std::to_string(i)), "OK");
    }
  }

  // What a whole iteration returns; `command` up to the cursor, `options` behind it.
  std::multiset<std::string> Scan(TestClient& by, const std::string& options) {
    std::multiset<std::string> found;
    std::string cursor = "0";
    int calls = 0;
    do {
      const Reply page = by.Ask("SCAN " + cursor + " " + options);
      EXPECT_EQ(page.kind, Reply::Kind::kArray) << (page.is_error() ? page.text() : "");
      if (page.kind != Reply::Kind::kArray) break;
      cursor = page.items()[0].text();
      EXPECT_EQ(cursor.find_first_not_of("0123456789"), std::string::npos) << cursor;
      for (const Reply& key : page.items()[1].items()) found.insert(key.text());
    } while (cursor != "0" && ++calls < 1000);
    return found;
  }

  std::multiset<std::string> Here(std::size_t server) {
    std::multiset<std::string> here;
    for (const std::string& key : keys) {
      if (ShardOf(engine::SlotOf(key), 8) % 2 == server) here.insert(key);
    }
    return here;
  }

  ClusterServed served{{.servers = 2, .shards = 8}};
  TestClient client{served.port(0)};
  TestClient speaker{served.port(0)};
  std::multiset<std::string> keys;
};

TEST_F(AllShards, KeysAreCountedOnAllServersForAPlainClient) {
  EXPECT_EQ(client.Text("DBSIZE"), "100");
  EXPECT_EQ(speaker.Text("DBSIZE"), std::to_string(Here(0).size()));
  const Reply all = client.Ask("KEYS *");
  std::multiset<std::string> found;
  for (const Reply& key : all.items()) found.insert(key.text());
  EXPECT_EQ(found, keys);
  EXPECT_EQ(speaker.Ask("KEYS *").items().size(), Here(0).size());
  EXPECT_EQ(client.Text("KEYS key7"), "[key7]");
}

TEST_F(AllShards, ScanVisitsEveryKeyOnce) {
  EXPECT_EQ(Scan(client, ""), keys);
  EXPECT_EQ(Scan(client, "COUNT 1"), keys);
  EXPECT_EQ(Scan(client, "COUNT 1000"), keys);
  EXPECT_EQ(Scan(client, "MATCH key1?").size(), 10u);
  EXPECT_EQ(Scan(client, "TYPE list").size(), 0u);
  EXPECT_EQ(Scan(speaker, "COUNT 3"), Here(0));
  TestClient other(served.port(1));
  other.Text("READONLY");
  EXPECT_EQ(Scan(other, "COUNT 3"), Here(1));
}

TEST_F(AllShards, ScanGoesOnWhileShardsMove) {
  std::multiset<std::string> found;
  std::string cursor = "0";
  std::size_t moves = 0;
  do {
    const Reply page = client.Ask("SCAN " + cursor + " COUNT 2");
    ASSERT_EQ(page.kind, Reply::Kind::kArray);
    cursor = page.items()[0].text();
    for (const Reply& key : page.items()[1].items()) found.insert(key.text());
    served.shards().Give(moves % 8, (moves / 8) % 2);
    ++moves;
  } while (cursor != "0");
  EXPECT_EQ(found, keys);
  EXPECT_GT(moves, 40u);
}

TEST_F(AllShards, ARandomKeyIsOneOfAll) {
  std::set<std::size_t> shards;
  for (int i = 0; i < 500 && shards.size() < 8; ++i) {
    const std::string key = client.Text("RANDOMKEY");
    ASSERT_TRUE(keys.contains(key)) << key;
    shards.insert(ShardOf(engine::SlotOf(key), 8));
  }
  EXPECT_EQ(shards.size(), 8u);
}

TEST_F(AllShards, FlushEmptiesEveryShard) {
  EXPECT_EQ(speaker.Text("FLUSHALL"), "OK");
  EXPECT_EQ(client.Text("DBSIZE"), std::to_string(Here(1).size()));
  EXPECT_EQ(client.Text("FLUSHDB nope"), "ERR syntax error");
  EXPECT_EQ(client.Text("DBSIZE"), std::to_string(Here(1).size()));
  EXPECT_EQ(client.Text("FLUSHDB"), "OK");
  EXPECT_EQ(client.Text("DBSIZE"), "0");
  EXPECT_EQ(client.Text("RANDOMKEY"), "(nil)");
  EXPECT_EQ(Scan(client, "").size(), 0u);
}

// A client that has not said so itself may be a plain one at the same address.
TEST_F(AllShards, AClientThatIsOnlyThoughtToSpeakClusterFlushesEverything) {
  speaker.Ask("CLUSTER SLOTS");
  EXPECT_EQ(client.Text("DBSIZE"), std::to_string(Here(0).size()));
  EXPECT_EQ(client.Text("FLUSHALL"), "OK");
  EXPECT_EQ(client.Text("DBSIZE"), "0");
  TestClient other{served.port(1)};
  EXPECT_EQ(other.Text("DBSIZE"), "0");
}

// A shard that moves past a FLUSHALL would keep its keys.
TEST_F(AllShards, NothingIsAcknowledgedThatAMoveMayHaveHidden) {
  std::atomic<bool> ended{false};
  std::thread mover([&] {
    for (std::size_t i = 0; !ended; ++i) served.shards().Give(i % 8, (i / 8) % 2);
  });
  int refused = 0;
  for (int i = 0; i < 200 || refused == 0; ++i) {
    for (std::size_t shard = 0; shard < 8; ++shard)
      client.Text("SET " + served.KeyIn(shard) + " 1");
    const std::string reply = client.Text("FLUSHALL");
    if (reply == "OK") {
      for (std::size_t shard = 0; shard < 8; ++shard) {
        EXPECT_EQ(client.Text("EXISTS " + served.KeyIn(shard)), "0");
      }
    } else {
      EXPECT_TRUE(reply.starts_with("TRYAGAIN ")) << reply;
      ++refused;
    }
  }
  ended = true;
  mover.join();
}

TEST_F(AllShards, AnAnswerWithoutSomeShardIsAnError) {
  served.shards().Release(5);
  EXPECT_EQ(client.Text("DBSIZE"), "CLUSTERDOWN Hash slot not served");
  EXPECT_EQ(speaker.Text("DBSIZE"), std::to_string(Here(0).size()));
}

TEST_F(AllShards, PurgesAndTheirFiguresAreAddedUp) {
  for (const std::string& key : keys) client.Text("PEXPIRE " + key + " 10");
  const Reply forecast = client.Ask("TTL.FORECAST BUCKET 1000 BUCKETS 2");
  ASSERT_EQ(forecast.kind, Reply::Kind::kArray);
  served.clock().Advance(Millis(10));
  EXPECT_EQ(client.Text("DBSIZE"), "0");
  EXPECT_EQ(client.Text("TTL.PURGE"), "[rows, 100, more-due, 0, stopped-by-clock, 0]");
  const std::string stats = client.Text("TTL.STATS");
  EXPECT_NE(stats.find("purged-rows, 100,"), std::string::npos) << stats;
}

TEST_F(AllShards, EventsAreReadShardByShard) {
  EXPECT_NE(client.Text("INFO cluster").find("mayfly_shards:8\r\n"), std::string::npos);
  EXPECT_EQ(client.Text("TTL.POLICY SET events key"), "OK");
  for (const std::string& key : keys) client.Text("PEXPIRE " + key + " 10");
  served.clock().Advance(Millis(10));
  EXPECT_EQ(client.Text("TTL.PURGE"), "[rows, 100, more-due, 0, stopped-by-clock, 0]");
  std::multiset<std::string> died;
  for (int shard = 0; shard < 8; ++shard) {
    const std::string of = "TTL.EVENTS SHARD " + std::to_string(shard);
    std::int64_t after = 0;
    while (true) {
      const Reply page = client.Ask(of + " AFTER " + std::to_string(after) + " COUNT 5");
      ASSERT_EQ(page.kind, Reply::Kind::kArray);
      if (page.items().empty()) break;
      for (const Reply& event : page.items()) {
        EXPECT_EQ(event.items()[1].integer(), ++after);
        died.insert(event.items()[5].text());
      }
    }
  }
  EXPECT_EQ(died, keys);
  EXPECT_TRUE(client.Text("TTL.EVENTS AFTER 0").starts_with("ERR on a cluster each shard numbers"));
  EXPECT_EQ(client.Text("TTL.EVENTS AFTER 0 SHARD"), "ERR syntax error");
  EXPECT_EQ(client.Text("TTL.EVENTS SHARD 8 AFTER 0"),
            "ERR there is no such shard; they are 0 to 7");
  EXPECT_TRUE(speaker.Text("TTL.EVENTS AFTER 0 SHARD 1").starts_with("MOVED 2048 "));
}

// The events of all shards, from the cursor on, as shard and sequence; and the instants by the way.
class EventReader {
 public:
  // Reads one page; how many events it had.
  std::size_t ReadPage(TestClient& by, const std::string& options) {
    const Reply page = by.Ask("TTL.EVENTS CURSOR " + cursor + " " + options);
    EXPECT_EQ(page.kind, Reply::Kind::kArray) << (page.is_error() ? page.text() : "");
    if (page.kind != Reply::Kind::kArray) return 0;
    cursor = page.items()[0].text();
    for (const Reply& event : page.items()[1].items()) {
      const std::int64_t shard = event.items()[1].integer();
      EXPECT_EQ(event.items()[3].integer(), ++last[shard]) << shard;
      keys.insert(event.items()[7].text());
      instants.push_back(event.items()[11].integer());
    }
    return page.items()[1].items().size();
  }

  std::string cursor = "0";
  std::map<std::int64_t, std::int64_t> last;  // Sequence, by shard.
  std::multiset<std::string> keys;
  std::vector<std::int64_t> instants;
};

TEST_F(AllShards, EventsOfAllShardsComeByTimeOnAnyServer) {
  EXPECT_EQ(client.Text("TTL.POLICY SET events key"), "OK");
  TestClient other(served.port(1));
  TestClient* const clients[] = {&client, &other};
  int deaths = 0;
  for (const std::string& key : keys)
    client.Text("PEXPIRE " + key + " " + std::to_string(++deaths));
  EventReader reader;
  EXPECT_EQ(reader.ReadPage(client, ""), 0u);
  for (int i = 0; i < 100; ++i) {
    served.clock().Advance(Millis(1));
    EXPECT_EQ(client.Text("TTL.PURGE"), "[rows, 1, more-due, 0, stopped-by-clock, 0]");
  }
  std::size_t calls = 0;
  while (reader.ReadPage(*clients[calls % 2], "COUNT 7") > 0) ++calls;
  EXPECT_EQ(reader.keys, keys);
  EXPECT_GE(calls, 100u / 7);
  EXPECT_TRUE(std::is_sorted(reader.instants.begin(), reader.instants.end()));
  EventReader part;  // A client that speaks cluster asks each server for what that has.
  while (part.ReadPage(speaker, "COUNT 10") > 0) {
  }
  EXPECT_EQ(part.keys, Here(0));
  TestClient other_speaker(served.port(1));
  other_speaker.Text("READONLY");
  while (part.ReadPage(other_speaker, "COUNT 10") > 0) {
  }
  EXPECT_EQ(part.keys, keys);
  EXPECT_EQ(client.Text("TTL.EVENTS CURSOR x"), "ERR invalid cursor");
  EXPECT_EQ(client.Text("TTL.EVENTS CURSOR at:010101010101010101"), "ERR invalid cursor");
}

TEST_F(AllShards, EventsAreReadOnceWhileTheyAreWrittenAndShardsMove) {
  EXPECT_EQ(client.Text("TTL.POLICY SET events key"), "OK");
  std::atomic<bool> ended{false};
  std::thread mover([&] {
    for (std::size_t i = 0; !ended; ++i) served.shards().Give(i % 8, (i / 8) % 2);
  });
  std::thread writer([&] {
    TestClient its(served.port(1));
    for (const std::string& key : keys) {
      EXPECT_EQ(its.Text("PEXPIRE " + key + " 1"), "1");
      served.clock().Advance(Millis(1));
      EXPECT_TRUE(served.shards().database(ShardOf(engine::SlotOf(key), 8)).Purge({}));
    }
    ended = true;
  });
  EventReader reader;
  while (!ended) reader.ReadPage(client, "COUNT 3");
  writer.join();
  mover.join();
  while (reader.ReadPage(client, "COUNT 3") > 0) {
  }
  EXPECT_EQ(reader.keys, keys);
}

TEST_F(AllShards, EventsThatAreNotKeptAreNamedOnce) {
  EXPECT_EQ(client.Text("TTL.POLICY SET events key"), "OK");
  const auto die = [&](int first, int end) {
    for (int i = first; i < end; ++i) client.Text("PEXPIRE key" + std::to_string(i) + " 1");
    served.clock().Advance(Millis(1));
    client.Text("TTL.PURGE");
  };
  EventReader reader;
  EXPECT_EQ(reader.ReadPage(client, ""), 0u);  // It has begun on every shard.
  die(0, 50);
  std::size_t gone = 0;
  for (std::size_t shard = 0; shard < 8; ++shard) {
    const auto trimmed = served.shards().database(shard).TrimEvents({.keep_newest = 2});
    ASSERT_TRUE(trimmed);
    gone += *trimmed;
  }
  ASSERT_GT(gone, 0u);
  const std::string refused = client.Text("TTL.EVENTS CURSOR " + reader.cursor);
  EXPECT_TRUE(refused.starts_with("TRIMMED events 1 to ")) << refused;
  EXPECT_EQ(client.Ask("TTL.EVENTS CURSOR 0").items()[1].items().size(), 50 - gone);
  const Reply rest = client.Ask("TTL.EVENTS SKIP CURSOR " + reader.cursor);
  ASSERT_EQ(rest.kind, Reply::Kind::kArray);
  EXPECT_EQ(rest.items()[1].items().size(), 50 - gone);
  die(50, 60);
  EXPECT_EQ(client.Ask("TTL.EVENTS CURSOR " + rest.items()[0].text()).items()[1].items().size(),
            10u);
}

TEST(EventsOfAServerAlone, HaveACursorAsThoseOfACluster) {
  ManualClock clock(WallTimeFromMs(1'700'000'000'000));
  FrontServed alone({}, SilentLogger(), Database::Open({.clock = &clock}).value());
  TestClient client(alone.port());
  EXPECT_EQ(client.Text("TTL.POLICY SET events key"), "OK");
  client.Text("SET a 1 PX 1");
  client.Text("SET b 1 PX 2");
  clock.Advance(Millis(2));
  client.Text("TTL.PURGE");
  EventReader reader;
  EXPECT_EQ(reader.ReadPage(client, "COUNT 1"), 1u);
  EXPECT_EQ(reader.ReadPage(client, "COUNT 1"), 1u);
  EXPECT_EQ(reader.ReadPage(client, "COUNT 1"), 0u);
  EXPECT_EQ(reader.keys, (std::multiset<std::string>{"a", "b"}));
  EXPECT_EQ(client.Text("TTL.EVENTS CURSOR at:0303"), "ERR invalid cursor");
  EXPECT_EQ(client.Text("TTL.EVENTS CURSOR 0 AFTER 0"), "ERR syntax error");
}

// The result of the job, once it is done.
Reply AwaitJob(TestClient& by, const std::string& command) {
  const Reply id = by.Ask(command);
  EXPECT_EQ(id.kind, Reply::Kind::kInteger) << (id.is_error() ? id.text() : "");
  if (id.kind != Reply::Kind::kInteger) return {};
  while (true) {
    const Reply job = by.Ask("TTL.JOB GET " + std::to_string(id.integer()));
    const std::string state = job.items().at(5).text();
    if (state == "done") return job.items().back();
    EXPECT_TRUE(state == "running" || state == "waiting") << state;
    if (state == "failed" || state == "cancelled") return {};
    std::this_thread::yield();
  }
}

// Of a map, as RESP2 has it.
const Reply& FieldOf(const Reply& map, const std::string& name) {
  static const Reply kNone;
  for (std::size_t i = 0; i + 1 < map.items().size(); i += 2) {
    if (map.items()[i].text() == name) return map.items()[i + 1];
  }
  ADD_FAILURE() << "no field " << name;
  return kNone;
}

TEST_F(AllShards, AProofIsOfEveryShardAndSaysWhatItDoesNotKnow) {
  for (int i = 0; i < 10; ++i) client.Text("PEXPIRE key" + std::to_string(i) + " 10");
  const Reply before = AwaitJob(client, "TTL.PROVE");
  EXPECT_EQ(FieldOf(before, "shards").integer(), 8);
  EXPECT_GT(FieldOf(before, "unknown").items().size(), 0u);
  EXPECT_EQ(FieldOf(before, "checked").items().size(), 1u);  // There is no store here.
  const Reply& keyspace = FieldOf(before, "keyspaces").items().at(0);
  EXPECT_EQ(FieldOf(keyspace, "name").text(), "db0");
  EXPECT_EQ(FieldOf(keyspace, "state").text(), "no promise");
  EXPECT_EQ(FieldOf(keyspace, "rows").integer(), 100);
  EXPECT_EQ(FieldOf(keyspace, "due-rows").integer(), 0);
  for (const Reply& word : before.items()) {
    EXPECT_FALSE(word.kind == Reply::Kind::kBulk && word.text() == "kept");
  }
  served.clock().Advance(Millis(11));
  const Reply after = AwaitJob(client, "TTL.PROVE FIND shard");
  const Reply& dead = FieldOf(after, "keyspaces").items().at(0);
  EXPECT_EQ(FieldOf(dead, "due-rows").integer(), 10);
  EXPECT_EQ(FieldOf(dead, "rows-purged-through").integer(), 1'700'000'000'009);
  std::set<std::string> where;
  for (const Reply& holder : FieldOf(after, "holders").items()) {
    where.insert(FieldOf(holder, "description").text().substr(0, 8));
  }
  std::set<std::string> expected;
  for (int i = 0; i < 10; ++i) {
    const std::size_t shard = ShardOf(engine::SlotOf("key" + std::to_string(i)), 8);
    expected.insert("shard " + std::to_string(shard) + ":");
  }
  EXPECT_EQ(where, expected);
}

TEST_F(AllShards, AProofFindsBytesInTheShardThatHasThem) {
  const std::string key = served.KeyIn(5, "secret");
  client.Text("SET " + key + " needle");
  const Reply proof = AwaitJob(client, "TTL.PROVE FIND needle");
  ASSERT_GE(FieldOf(proof, "traces").items().size(), 1u);
  for (const Reply& trace : FieldOf(proof, "traces").items()) {
    EXPECT_TRUE(FieldOf(trace, "where").text().starts_with("shard 5, "));
  }
  const Reply one = client.Ask("TTL.PROVE SHARD 5 FIND needle");
  EXPECT_EQ(FieldOf(one, "traces"), FieldOf(proof, "traces"));
  EXPECT_EQ(FieldOf(client.Ask("TTL.PROVE FIND needle SHARD 4"), "traces").items().size(), 0u);
  EXPECT_TRUE(speaker.Text("TTL.PROVE SHARD 5").starts_with("MOVED "));
  EXPECT_EQ(client.Text("TTL.PROVE SHARD 8"), "ERR there is no such shard");
  EXPECT_EQ(client.Text("TTL.PROVE SHARD"), "ERR syntax error");
  EXPECT_EQ(client.Text("TTL.PROVE SHARD 5 x"), "ERR syntax error");
}

TEST_F(AllShards, AllShardsAreCheckedWhileTheyMove) {
  std::atomic<bool> ended{false};
  std::thread mover([&] {
    for (std::size_t i = 0; !ended; ++i) served.shards().Give(i % 8, (i / 8) % 2);
  });
  for (int i = 0; i < 5; ++i) {
    const Reply report = AwaitJob(client, "TTL.CHECK");
    EXPECT_EQ(FieldOf(report, "clean").integer(), 1);
    EXPECT_EQ(FieldOf(report, "rows").integer(), 100);
    EXPECT_EQ(FieldOf(report, "findings").items().size(), 0u);
  }
  ended = true;
  mover.join();
  std::int64_t rows = 0;
  for (int shard = 0; shard < 8; ++shard) {
    rows +=
        FieldOf(client.Ask("TTL.CHECK REPAIR SHARD " + std::to_string(shard)), "rows").integer();
  }
  EXPECT_EQ(rows, 100);
}

TEST_F(AllShards, AJobOverShardsEndsWhenItIsCancelled) {
  served.shards().Release(5);
  const std::string id = client.Text("TTL.CHECK");
  TestClient other(served.port(0));
  EXPECT_EQ(other.Text("TTL.JOB CANCEL " + id), "OK");
  std::string state;
  while (state.empty() || state == "running") {
    state = other.Ask("TTL.JOB GET " + id).items().at(5).text();
  }
  EXPECT_EQ(state, "cancelled");
}

// What could be neither kept nor checked is not promised, and what is not done is not said to be.
TEST_F(AllShards, UpkeepThatIsCephsIsRefusedByName) {
  const std::string refused = client.Text("TTL.POLICY SET purge-within 60000");
  EXPECT_TRUE(refused.starts_with("ERR purge-within cannot be promised on a cluster")) << refused;
  EXPECT_NE(client.Text("TTL.POLICY").find("purge-within, none"), std::string::npos);
  EXPECT_EQ(client.Text("TTL.POLICY SET purge-within none"), "OK");
  for (const std::string command :
       {"TTL.COMPACT", "TTL.BACKUP", "TTL.BACKUPS", "TTL.RESTORE a b"}) {
    const std::string reply = client.Text(command);
    EXPECT_NE(reply.find("is not offered on a cluster: "), std::string::npos) << reply;
  }
  EXPECT_NE(client.Text("TTL.COMPACT").find("ceph tell"), std::string::npos);
}

TEST_F(AllShards, PoliciesAreThoseOfEveryShard) {
  EXPECT_EQ(client.Text("TTL.POLICY SET default-ttl 5000"), "OK");
  for (std::size_t shard = 0; shard < 8; ++shard) {
    const std::string key = served.KeyIn(shard, "fresh");
    client.Text("SET " + key + " 1");
    EXPECT_EQ(client.Text("PTTL " + key), "5000") << shard;
  }
  EXPECT_NE(client.Text("TTL.POLICY").find("default-ttl, 5000"), std::string::npos);
}

TEST_F(AllShards, PagedTtlCommandsWalkTheShards) {
  for (int i = 0; i < 100; i += 2) client.Text("PEXPIRE key" + std::to_string(i) + " 60000");
  const auto walk = [&](const std::string& command) {
    std::size_t items = 0;
    std::string cursor = "0";
    do {
      const Reply page = client.Ask(command + " CURSOR " + cursor);
      EXPECT_EQ(page.kind, Reply::Kind::kArray) << command;
      if (page.kind != Reply::Kind::kArray) break;
      cursor = page.items()[0].text();
      items += page.items()[1].items().size();
    } while (cursor != "0");
    return items;
  };
  EXPECT_EQ(walk("TTL.SCAN NOTTL COUNT 7"), 50u);
  EXPECT_EQ(walk("TTL.SCAN FROM 0 COUNT 7"), 50u);
  EXPECT_EQ(walk("TTL.TREE \"\" COUNT 7"), 100u);
  EXPECT_EQ(client.Text("TTL.SCAN NOTTL CURSOR x"), "ERR invalid cursor");
}

// Else a cut that one shard makes at one instant and another a moment later would count rows in
// another span.
TEST_F(AllShards, AForecastHasTheSameSpansInEveryShard) {
  for (int i = 0; i < 100; ++i) client.Text("PEXPIRE key" + std::to_string(i) + " 60000");
  for (const std::string from : {"", " FROM 1700000000500"}) {
    std::map<std::int64_t, std::int64_t> spans;
    std::string cursor = "0";
    int calls = 0;
    do {
      const Reply page =
          client.Ask("TTL.FORECAST BUCKET 1000 BUCKETS 100 COUNT 7 CURSOR " + cursor + from);
      ASSERT_EQ(page.kind, Reply::Kind::kArray) << page.text();
      cursor = page.items()[0].text();
      for (const Reply& span : page.items()[1].items()) {
        spans[span.items()[1].integer()] += span.items()[5].integer();
      }
      served.clock().Advance(Millis(1));
      ++calls;
    } while (cursor != "0");
    EXPECT_GT(calls, 10);
    ASSERT_EQ(spans.size(), 1u);
    EXPECT_EQ(spans.begin()->second, 100);
  }
  EXPECT_EQ(client.Text("TTL.FORECAST CURSOR at:0001"), "ERR invalid cursor");
}

TEST_F(AllShards, APolicyThatIsNotTheSameEverywhereIsNamed) {
  auto policy = KeyspacePolicy{.default_ttl = Millis(5)};
  const auto spaces = served.shards().database(6).OpenKeyspace("db0");
  ASSERT_TRUE((*spaces)->SetPolicy(policy).ok());
  EXPECT_TRUE(client.Text("TTL.POLICY").starts_with("ERR the shards differ"));
  EXPECT_EQ(client.Text("TTL.POLICY SET default-ttl none"), "OK");
  EXPECT_NE(client.Text("TTL.POLICY").find("default-ttl, none"), std::string::npos);
}

TEST_F(AllShards, EveryServerCountsTheSame) {
  TestClient other(served.port(1));
  for (int i = 0; i < 100; i += 3) client.Text("PEXPIRE key" + std::to_string(i) + " 10");
  served.clock().Advance(Millis(10));
  for (TestClient* const one : {&client, &other}) {
    EXPECT_EQ(one->Text("DBSIZE"), "66");
    EXPECT_EQ(one->Ask("KEYS *").items().size(), 66u);
    EXPECT_EQ(Scan(*one, "COUNT 5").size(), 66u);
    const Reply stats = one->Ask("TTL.STATS");
    const Reply& keyspace = FieldOf(stats, "keyspaces").items().at(0);
    EXPECT_EQ(FieldOf(keyspace, "rows").integer(), 100);
    EXPECT_EQ(FieldOf(keyspace, "due-rows").integer(), 34);
  }
  const auto keys_of = [](const std::string& info) {
    const std::size_t at = info.find("keys=");
    return at == std::string::npos ? 0 : std::stoi(info.substr(at + 5));
  };
  EXPECT_EQ(keys_of(client.Text("INFO keyspace")) + keys_of(other.Text("INFO keyspace")), 66);
}

TEST_F(AllShards, ScriptsAreLoadedEverywhereForAPlainClient) {
  const std::string digest = client.Text("SCRIPT LOAD \"return redis.call('GET', KEYS[1])\"");
  for (const std::string& key : {std::string("key1"), std::string("key2"), std::string("key3")}) {
    EXPECT_EQ(client.Text("EVALSHA " + digest + " 1 " + key), key.substr(3));
  }
  EXPECT_EQ(client.Text("SCRIPT EXISTS " + digest + " nope"), "[1, 0]");
  EXPECT_EQ(speaker.Text("SCRIPT FLUSH"), "OK");
  EXPECT_EQ(speaker.Text("SCRIPT EXISTS " + digest), "[0]");
  EXPECT_EQ(client.Text("SCRIPT EXISTS " + digest), "[0]");
}

// Else a command would run on the server's own database, which has no rows of clients.
TEST_F(AllShards, EveryCommandAboutRowsWithoutKeysHasARule) {
  for (const auto& entry : served.server(0).table().entries()) {
    const CommandSpec& spec = *entry->spec;
    if (spec.handler == nullptr || !spec.keys.all().empty()) continue;
    const bool about_rows = (spec.flags & kNoRows) == 0;
    EXPECT_TRUE(!about_rows || entry->cluster_rule != nullptr) << entry->full_name;
  }
}

}  // namespace
}  // namespace mayfly::server
