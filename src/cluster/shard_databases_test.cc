// Goal: the rows of a shard are served by the server that owns it, whole and with their deadlines, and
// by no other; a server that has a shard in use gives it away when that use has ended.
// Method: servers in one process on objects in memory; the test moves the clock and waits for what it
// sees in the directories.
#include "cluster/shard_databases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

#include "cluster/cluster_map.h"
#include "cluster/offer_codec.h"
#include "engine/cluster/objects/await.h"
#include "engine/cluster/objects/testing/memory_objects.h"
#include "engine/cluster/ownership/lease_records.h"
#include "engine/cluster/shard/shard_layout.h"
#include "mayfly/database.h"
#include "server/databases/databases.h"

namespace mayfly::cluster {
namespace {

using engine::cluster::MemoryObjects;
using engine::cluster::MemoryObjectStore;
using engine::cluster::ShardOffer;

constexpr std::size_t kShards = 8;

class Heard final : public server::ShardListener {
 public:
  Status ShardComes(server::ServedDatabase& /*data*/) override {
    ++came;
    return {};
  }
  void ShardGoes(std::size_t /*shard*/) override { ++gone; }

  std::atomic<int> came{0};
  std::atomic<int> gone{0};
};

class ShardDatabasesTest : public testing::Test, public engine::cluster::OfferSender {
 protected:
  struct Server {
    Heard heard;
    ManualClock wall{WallTimeFromMs(1'700'000'000'000)};  // Rows are judged by it.
    std::unique_ptr<ClockComparison> clocks = nullptr;
    std::shared_ptr<MemoryObjectStore> store = nullptr;
    std::unique_ptr<ShardDatabases> shards = nullptr;
  };

  Server& Start(std::uint64_t id) {
    auto& server = servers_[id];
    server.wall.Set(clock_.Now());
    server.clocks = std::make_unique<ClockComparison>(server.wall, skew_max_);
    engine::cluster::NodeOptions node;
    node.format.database = "db";
    node.format.shards = kShards;
    node.server = id;
    node.seed = id;
    node.clock = &clock_;
    server.store = std::make_shared<MemoryObjectStore>(objects_);
    auto opened = ShardDatabases::Open(server.store, node,
                                       {.clock = &server.wall, .clocks = server.clocks.get()});
    EXPECT_TRUE(opened.has_value()) << opened.status().ToString();
    server.shards = std::move(opened).value();
    server.shards->SetListener(&server.heard);
    const Status joined = server.shards->Join({"host", static_cast<int>(id)}, this);
    EXPECT_TRUE(joined.ok()) << joined.ToString();
    return server;
  }

  void TearDown() override {
    for (auto& [id, server] : servers_) {
      if (server.shards == nullptr) continue;
      server.shards->SetListener(nullptr);
      server.shards.reset();
    }
  }

  // Lets time pass, no faster than the servers can follow, until it is so.
  bool Until(const std::function<bool()>& holds) {
    constexpr int kRounds = 100'000;
    for (int round = 0; round < kRounds; ++round) {
      if (holds()) return true;
      clock_.Advance(Millis(5));
      for (auto& [id, server] : servers_) {
        server.wall.Advance(Millis(5));
        if (server.shards == nullptr) continue;
        server.shards->AwaitStep();
        static_cast<void>(engine::cluster::AwaitKeys(*server.store, "none", {"none"}));
        server.shards->AwaitStep();
      }
    }
    return holds();
  }

  // Each server learns what the others' clocks show now.
  void CompareClocks() {
    for (auto& [id, server] : servers_) {
      std::vector<std::string> others;
      for (const auto& [other, its] : servers_) {
        if (other != id && its.shards != nullptr) others.push_back(std::to_string(other));
      }
      server.clocks->SetPeers(others);
      for (const std::string& other : others) {
        server.clocks->Add(other, servers_.at(std::stoull(other)).wall.Now(), server.wall.Passed(),
                           server.wall.Passed());
      }
    }
  }

  // Dead or alive.
  static std::uint64_t StoredRows(server::ServedDatabase& data) {
    const auto statistics = data.database.GetStatistics();
    EXPECT_TRUE(statistics.has_value());
    std::uint64_t rows = 0;
    for (const auto& keyspace : statistics->keyspaces) rows += keyspace.rows;
    return rows;
  }

  bool HasAll(const Server& server) { return server.shards->Here().size() == kShards; }

  void Send(const std::string& address, const ShardOffer& offer) override {
    for (auto& [id, server] : servers_) {
      const server::ServerAddress own{"host", static_cast<int>(id)};
      if (server::ToText(own) != address || server.shards == nullptr) continue;
      EXPECT_TRUE(server.shards->TakeOffer(Encode(offer)).ok());
    }
  }

  static std::uint64_t CountOf(const DurationCounts::Counts& counts) {
    return std::accumulate(counts.buckets.begin(), counts.buckets.end(), std::uint64_t{0});
  }

  static Keyspace& KeyspaceOf(server::ServedDatabase& data) {
    return *data.databases.mapping()->front();
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};  // Leases go by it.
  const std::atomic<std::int64_t> skew_max_{1000};
  const std::shared_ptr<MemoryObjects> objects_ = std::make_shared<MemoryObjects>();
  std::map<std::uint64_t, Server> servers_;
};

TEST_F(ShardDatabasesTest, ALookShowsWhatTheStoreShows) {
  Server& server = Start(1);
  ASSERT_TRUE(Until([&] { return HasAll(server); }));
  const auto look = [&](const std::string& find) {
    auto seen = server.shards->Look(3, find);
    EXPECT_TRUE(seen.has_value()) << seen.status().ToString();
    return std::move(seen)->value();
  };
  EXPECT_EQ(look("").rows, 0u);
  EXPECT_EQ(look("").first_deadline, std::nullopt);
  const auto place = server.shards->Find(3).here;
  Keyspace& rows = KeyspaceOf(*place);
  const std::string large = std::string(9 << 20, 'x') + "needle";
  const std::string across = std::string((8 << 20) - 3, 'x') + "needle" + std::string(9, 'x');
  ASSERT_TRUE(rows.Put("a", "small needle", Lifetime::For(Millis(10'000))).ok());
  ASSERT_TRUE(rows.Put("b", large, Lifetime::For(Millis(20'000))).ok());
  ASSERT_TRUE(rows.Put("c", across).ok());
  ASSERT_TRUE(rows.Put("needle", "d").ok());
  const WallTime first = rows.GetRow("a").value().deadline.value();
  EXPECT_EQ(look("").rows, 4u);
  EXPECT_EQ(look("").entries, 2u);
  EXPECT_EQ(look("").large_values, 2u);
  EXPECT_EQ(look("").first_deadline, first);
  EXPECT_EQ(look("").traces.size(), 0u);
  EXPECT_EQ(look("needle").traces.size(), 4u);
  server.wall.Advance(Millis(20'000));
  CompareClocks();
  ASSERT_TRUE(Until([&] { return look("").rows == 2 && look("").large_pending == 0; }));
  EXPECT_EQ(look("").first_deadline, std::nullopt);
  EXPECT_EQ(look("").large_values, 1u);
  EXPECT_EQ(look("needle").traces.size(), 2u);
}

// The node hears of it later, on its own thread; a command that failed must find it gone at once.
TEST_F(ShardDatabasesTest, AShardThatTheStoreRefusesIsNotHereAnyMore) {
  Server& server = Start(1);
  ASSERT_TRUE(Until([&] { return HasAll(server); }));
  const auto place = server.shards->Find(3).here;
  ASSERT_NE(place, nullptr);
  ASSERT_TRUE(KeyspaceOf(*place).Put("a", "1").ok());
  engine::cluster::MapWrite claim;
  const engine::cluster::OwnerRecord other{.server = 9, .incarnation = 1, .epoch = 1000};
  claim.sets = {{engine::cluster::OwnerKey(), engine::cluster::Encode(other)}};
  ASSERT_TRUE(engine::cluster::AwaitWrite(
                  *server.store, engine::cluster::ShardObject("db", engine::cluster::ShardId{3}),
                  std::make_shared<const engine::cluster::MapWrite>(std::move(claim)))
                  .ok());
  const Status refused = KeyspaceOf(*place).Put("a", "2");
  EXPECT_EQ(refused.code(), StatusCode::kBusy) << refused.ToString();
  EXPECT_EQ(server.shards->Find(3).here, nullptr);
  const auto here = server.shards->Here();
  EXPECT_EQ(std::count(here.begin(), here.end(), place), 0);
}

TEST_F(ShardDatabasesTest, FiguresOutliveTheStayOfShards) {
  Server& first = Start(1);
  ASSERT_TRUE(Until([&] { return HasAll(first); }));
  const server::ClusterFigures begin = first.shards->figures();
  EXPECT_TRUE(begin.is_in);
  EXPECT_EQ(begin.taken_over + begin.received, kShards);
  EXPECT_EQ(CountOf(begin.openings), kShards);
  EXPECT_GT(begin.renewals, 0u);
  EXPECT_EQ(begin.lapses + begin.losses, 0u);
  ASSERT_TRUE(KeyspaceOf(*first.shards->Find(3).here).Put("a", "1").ok());
  const server::ClusterFigures put = first.shards->figures();
  EXPECT_GE(put.commits, begin.commits + 1);
  EXPECT_GE(put.keys, begin.keys + 1);
  EXPECT_GE(CountOf(put.writes), CountOf(begin.writes) + 1);
  EXPECT_EQ(put.stall, std::chrono::nanoseconds(0));
  Server& second = Start(2);
  ASSERT_TRUE(Until([&] { return second.shards->Here().size() == kShards / 2; }));
  const server::ClusterFigures after = first.shards->figures();
  EXPECT_EQ(after.given, kShards / 2);
  EXPECT_GE(after.commits, put.commits);
  EXPECT_GE(second.shards->figures().received, 1u);
}

TEST_F(ShardDatabasesTest, AServerAloneHasAllShards) {
  Server& server = Start(1);
  ASSERT_TRUE(Until([&] { return HasAll(server); }));
  EXPECT_EQ(server.heard.came, static_cast<int>(kShards));
  for (std::size_t shard = 0; shard < kShards; ++shard) {
    EXPECT_EQ(server.shards->Find(shard).here->shard, shard);
  }
  ASSERT_TRUE(Until([&] { return server.shards->view()->self() != nullptr; }));
  const auto view = server.shards->view();
  EXPECT_EQ(view->self()->id, "0000000000000000000000000000000000000001");
  EXPECT_EQ(view->self()->address, (server::ServerAddress{"host", 1}));
  EXPECT_EQ(view->owners, std::vector<std::size_t>(kShards, 0));
}

TEST_F(ShardDatabasesTest, RowsMoveWithTheirShardsAndDeadlines) {
  Server& first = Start(1);
  ASSERT_TRUE(Until([&] { return HasAll(first); }));
  const WallTime deadline = clock_.Now() + std::chrono::hours(1);
  for (const auto& data : first.shards->Here()) {
    ASSERT_TRUE(
        KeyspaceOf(*data).Put("key", std::to_string(data->shard), Lifetime::Until(deadline)).ok());
  }
  Server& second = Start(2);
  ASSERT_TRUE(Until([&] { return second.shards->Here().size() == kShards / 2; }));
  ASSERT_TRUE(Until([&] { return first.shards->Here().size() == kShards / 2; }));
  for (const auto& data : second.shards->Here()) {
    const auto row = KeyspaceOf(*data).GetRow("key");
    ASSERT_TRUE(row.has_value()) << row.status().ToString();
    EXPECT_EQ(row->value, std::to_string(data->shard));
    EXPECT_EQ(row->deadline, deadline);
    ASSERT_TRUE(Until([&] { return first.shards->Find(data->shard).elsewhere.port == 2; }));
    EXPECT_EQ(first.shards->Find(data->shard).here, nullptr);
  }
  EXPECT_EQ(first.heard.gone, static_cast<int>(kShards / 2));
}

TEST_F(ShardDatabasesTest, AServerThatLeavesGivesEverythingAway) {
  Server& first = Start(1);
  ASSERT_TRUE(Until([&] { return HasAll(first); }));
  Server& second = Start(2);
  ASSERT_TRUE(Until([&] { return second.shards->Here().size() == kShards / 2; }));
  std::atomic<bool> left{false};
  std::thread leaving([&] {
    EXPECT_TRUE(first.shards->Leave(std::chrono::minutes(1)).ok());
    left = true;
  });
  EXPECT_TRUE(Until([&] { return left && HasAll(second); }));
  leaving.join();
  EXPECT_TRUE(first.shards->Here().empty());
}

// Its database stays open for as long as it is used, and refuses to be written once others own it.
TEST_F(ShardDatabasesTest, AShardInUseGoesAndRefusesToBeWritten) {
  Server& first = Start(1);
  ASSERT_TRUE(Until([&] { return HasAll(first); }));
  const auto used = first.shards->Here();
  Server& second = Start(2);
  ASSERT_TRUE(Until([&] { return second.shards->Here().size() == kShards / 2; }));
  int refused = 0;
  for (const auto& data : used) {
    const bool moved = first.shards->Find(data->shard).here == nullptr;
    const Status put = KeyspaceOf(*data).Put("key", "late");
    EXPECT_EQ(put.ok(), !moved) << put.ToString();
    refused += moved ? 1 : 0;
  }
  EXPECT_EQ(refused, static_cast<int>(kShards / 2));
}

TEST_F(ShardDatabasesTest, ALateListenerHearsOfShardsThatAreHere) {
  Server& server = Start(1);
  ASSERT_TRUE(Until([&] { return HasAll(server); }));
  Heard late;
  server.shards->SetListener(&late);
  EXPECT_EQ(late.came, static_cast<int>(kShards));
  server.shards->SetListener(nullptr);
}

// A clock that is an hour ahead hides a row half an hour too early. That stays so at the next owner, whose
// clock is right; the row's bytes stay until its time has come by all clocks.
TEST_F(ShardDatabasesTest, WhatAWrongClockHidStaysHiddenAndIsNotRemovedTooEarly) {
  Server& first = Start(1);
  ASSERT_TRUE(Until([&] { return HasAll(first); }));
  Server& second = Start(2);
  ASSERT_TRUE(Until([&] { return second.shards->Here().size() == kShards / 2; }));
  CompareClocks();
  auto data = first.shards->Here().front();
  const std::size_t shard = data->shard;
  const WallTime deadline = first.wall.Now() + std::chrono::minutes(30);
  ASSERT_TRUE(KeyspaceOf(*data).Put("row", "1", Lifetime::Until(deadline)).ok());
  const auto is_hidden = [](server::ServedDatabase& where) {
    return KeyspaceOf(where).GetRow("row").status().IsNotFound();
  };
  EXPECT_FALSE(is_hidden(*data));

  first.wall.Set(first.wall.Now() + std::chrono::hours(1));
  EXPECT_EQ(first.clocks->Report().state, server::ClusterClocks::State::kAhead);
  EXPECT_TRUE(is_hidden(*data));
  EXPECT_EQ(data->database.Purge({})->rows, 0u);
  EXPECT_EQ(StoredRows(*data), 1u);
  data.reset();

  first.shards->SetListener(nullptr);
  first.shards.reset();
  ASSERT_TRUE(Until([&] { return HasAll(second); }));
  CompareClocks();
  EXPECT_EQ(second.clocks->Report().state, server::ClusterClocks::State::kAlone);
  data = second.shards->Find(shard).here;
  EXPECT_TRUE(is_hidden(*data));
  EXPECT_EQ(data->database.Purge({})->rows, 0u);
  EXPECT_EQ(StoredRows(*data), 1u);

  second.wall.Advance(deadline + Millis(skew_max_) - second.wall.Now());
  EXPECT_TRUE(is_hidden(*data));
  EXPECT_TRUE(Until([&] { return StoredRows(*data) == 0; }));
}

TEST_F(ShardDatabasesTest, NothingIsRemovedWhileTheOthersClocksAreUnknown) {
  Server& server = Start(1);
  ASSERT_TRUE(Until([&] { return HasAll(server); }));
  const auto data = server.shards->Here().front();
  ASSERT_TRUE(KeyspaceOf(*data).Put("row", "1", Lifetime::For(Millis(10))).ok());
  server.wall.Advance(std::chrono::seconds(10));
  const auto purged = data->database.Purge({});
  EXPECT_EQ(purged->rows, 0u);
  EXPECT_TRUE(purged->stopped_by_clock);
  EXPECT_TRUE(KeyspaceOf(*data).GetRow("row").status().IsNotFound());
  EXPECT_EQ(StoredRows(*data), 1u);
  CompareClocks();
  EXPECT_TRUE(Until([&] { return StoredRows(*data) == 0; }));
}

TEST(ClusterMap, ReadsAddresses) {
  EXPECT_EQ(AddressOf("10.0.0.1:6379"), (server::ServerAddress{"10.0.0.1", 6379}));
  EXPECT_EQ(AddressOf("::1:6379"), (server::ServerAddress{"::1", 6379}));
  for (const char* const bad : {"", "host", "host:", "host:0", "host:65536", "host:1x"}) {
    EXPECT_EQ(AddressOf(bad).port, 0) << bad;
  }
}

TEST(OfferCodec, ReadsWhatItWrites) {
  const ShardOffer offer{.shard = 1023, .released = {.server = 0, .incarnation = 7, .epoch = 9}};
  const auto read = DecodeOffer(Encode(offer));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->shard, offer.shard);
  EXPECT_EQ(read->released, offer.released);
  const std::string bytes = Encode(offer);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeOffer(Bytes(bytes).substr(0, size)).has_value()) << size;
  }
}

}  // namespace
}  // namespace mayfly::cluster
