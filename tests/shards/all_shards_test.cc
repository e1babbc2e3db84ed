// Goal: commands about all keys see those of all shards, once each: for a plain client on all servers,
// for one that speaks cluster on this one. Method: two servers over eight shards in memory; the
// table of commands.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

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
  EXPECT_EQ(client.Text("TTL.EVENTS AFTER 0"),
            "ERR on a cluster the command takes SHARD and a number");
  EXPECT_EQ(client.Text("TTL.EVENTS SHARD 8 AFTER 0"), "ERR there is no such shard");
  EXPECT_TRUE(speaker.Text("TTL.EVENTS AFTER 0 SHARD 1").starts_with("MOVED 2048 "));
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
