// Goal: each policy chooses whom it promises to, from all databases, in bounded steps.
// Method: a database in memory on a manual clock; the rows found are deleted, as an executor does.
#include "server/eviction/victim_finder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "mayfly/database.h"
#include "server/command/limits.h"
#include "server/databases/database_key.h"

namespace mayfly::server {
namespace {

using enum EvictionPolicy;

class Victims : public testing::Test {
 protected:
  Victims() {
    for (int i = 0; i < 3; ++i) {
      databases_.push_back(database_->CreateKeyspace(fmt::format("db{}", i)).value());
    }
    databases_.insert(databases_.begin() + 1, nullptr);  // One that no client has used yet.
  }

  void Put(int database, const std::string& key, Lifetime lifetime = Lifetime::Forever()) {
    ASSERT_TRUE(databases_[static_cast<std::size_t>(database)]->Put(key, "value", lifetime).ok());
  }
  void Touch(AccessTable& table, int database, const std::string& key) {
    table.Touch(Hash(database, key), pace_, random_);
  }
  static std::uint64_t Hash(int database, const std::string& key) {
    return DatabaseKeyHash()(DatabaseKeyView{database, key});
  }
  std::vector<Victim> Find(EvictionPolicy policy, const AccessTable* table = nullptr,
                           std::uint64_t bytes = 1, std::uint64_t samples = 5) {
    auto found = finder_.Find(databases_, {policy, bytes, samples, table, pace_});
    EXPECT_TRUE(found.has_value()) << found.status().ToString();
    return *found;
  }
  // Evicts rows one search after the other; in order, "database key".
  std::vector<std::string> Evict(std::size_t rows, EvictionPolicy policy,
                                 const AccessTable* table = nullptr) {
    std::vector<std::string> gone;
    for (int searches = 0; gone.size() < rows && searches < 1000; ++searches) {
      for (const Victim& victim : Find(policy, table)) {
        const auto& keyspace = databases_[static_cast<std::size_t>(victim.database)];
        if (!keyspace->Delete(victim.key).value()) continue;
        gone.push_back(fmt::format("{} {}", victim.database, victim.key));
      }
    }
    return gone;
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  const std::unique_ptr<Database> database_ = Database::Open({.clock = &clock_}).value();
  Databases::Mapping databases_;
  VictimFinder finder_{7};
  Random random_{7};
  AccessTable::LfuPace pace_;
};

TEST_F(Victims, NothingLeavesWhereNothingMayOrIs) {
  for (const EvictionPolicy policy : {kNoEviction, kAllKeysLru, kAllKeysRandom, kVolatileTtl}) {
    EXPECT_TRUE(Find(policy).empty());
  }
  Put(0, "for-ever");
  for (const EvictionPolicy policy : {kNoEviction, kVolatileRandom, kVolatileTtl}) {
    EXPECT_TRUE(Find(policy).empty());
  }
  EXPECT_EQ(Find(kAllKeysRandom).size(), 1u);
}

TEST_F(Victims, TheFirstToDieLeavesFirstWhereverItIs) {
  // A permutation of deadlines over three databases.
  std::vector<std::string> expected(90);
  for (std::uint64_t i = 0; i < expected.size(); ++i) {
    const std::uint64_t rank = i * 37 % expected.size();
    const int database = std::array{0, 2, 3}[i % 3];
    const std::string key = fmt::format("k{}", i);
    Put(database, key, Lifetime::For(Millis(1000 + static_cast<std::int64_t>(rank))));
    expected[rank] = fmt::format("{} {}", database, key);
  }
  Put(0, "for-ever");
  EXPECT_EQ(Evict(expected.size(), kVolatileTtl), expected);
}

TEST_F(Victims, TheDeadAreNobodysVictims) {
  Put(0, "dead", Lifetime::For(Millis(10)));
  Put(0, "alive", Lifetime::For(Millis(11)));
  clock_.Advance(Millis(10));
  for (const EvictionPolicy policy : {kVolatileTtl, kVolatileRandom, kAllKeysRandom}) {
    for (const Victim& victim : Find(policy)) EXPECT_EQ(victim.key, "alive");
  }
}

TEST_F(Victims, AsManyLeaveAsAreNeeded) {
  for (int i = 0; i < 100; ++i) Put(0, fmt::format("k{:02}", i), Lifetime::For(Millis(1000 + i)));
  constexpr std::uint64_t kRowBytes = 3 + 5;
  EXPECT_EQ(Find(kVolatileTtl, nullptr, 1).size(), 1u);
  EXPECT_EQ(Find(kVolatileTtl, nullptr, kRowBytes).size(), 1u);
  EXPECT_EQ(Find(kVolatileTtl, nullptr, kRowBytes + 1).size(), 2u);
  EXPECT_EQ(Find(kVolatileTtl, nullptr, 1'000'000).size(), kVictimsMax);
  EXPECT_EQ(Find(kAllKeysRandom, nullptr, kRowBytes + 1).size(), 2u);
  EXPECT_EQ(Find(kVolatileRandom, nullptr, kRowBytes + 1).size(), 2u);
  EXPECT_EQ(Find(kAllKeysRandom, nullptr, 1'000'000).size(), kVictimsMax);
}

TEST_F(Victims, TheHandPassesEveryRowOfEveryDatabase) {
  for (const EvictionPolicy policy : {kAllKeysRandom, kVolatileRandom}) {
    for (int i = 0; i < 300; ++i) {
      Put(std::array{0, 2, 3}[static_cast<std::size_t>(i) % 3], fmt::format("k{}", i),
          Lifetime::For(Millis(10'000 + i)));
    }
    EXPECT_EQ(Evict(300, policy).size(), 300u);
  }
}

TEST_F(Victims, LruTakesWhatWasUsedLongestAgo) {
  for (const EvictionPolicy policy : {kAllKeysLru, kVolatileLru}) {
    AccessTable table(AccessTable::Kind::kLru, 1, clock_);
    constexpr int kRows = 200;
    for (int i = 0; i < kRows; ++i) {
      Put(0, fmt::format("k{}", i), Lifetime::For(Millis(1'000'000)));
      Touch(table, 0, fmt::format("k{}", i));
      clock_.Advance(Millis(100));
    }
    // Every fourth is used again.
    for (int i = 0; i < kRows; i += 4) Touch(table, 0, fmt::format("k{}", i));
    clock_.Advance(Millis(100));
    std::set<int> gone;
    for (const std::string& one : Evict(kRows / 2, policy, &table)) {
      gone.insert(std::stoi(one.substr(3)));
    }
    int used = 0;
    int old = 0;
    for (const int key : gone) (key % 4 == 0 ? used : old) += 1;
    EXPECT_EQ(used, 0);
    // Of the others, mostly the older half.
    int older = 0;
    for (const int key : gone) older += key < kRows / 2 + kRows / 6 ? 1 : 0;
    EXPECT_GT(older, old * 3 / 4);
    ASSERT_TRUE(databases_[0]->Clear().ok());
  }
}

TEST_F(Victims, LfuTakesWhatIsUsedLeast) {
  for (const EvictionPolicy policy : {kAllKeysLfu, kVolatileLfu}) {
    AccessTable table(AccessTable::Kind::kLfu, 1, clock_);
    for (int i = 0; i < 100; ++i) {
      Put(2, fmt::format("k{}", i), Lifetime::For(Millis(1'000'000)));
      for (int use = 0; use < (i < 20 ? 200 : 1); ++use) Touch(table, 2, fmt::format("k{}", i));
    }
    for (const std::string& one : Evict(60, policy, &table)) {
      EXPECT_GE(std::stoi(one.substr(3)), 20) << one;
    }
    ASSERT_TRUE(databases_[2]->Clear().ok());
  }
}

TEST_F(Victims, KeysThatAreNotInTheTableLeaveFirst) {
  AccessTable table(AccessTable::Kind::kLru, 1, clock_);
  for (int i = 0; i < 100; ++i) Put(3, fmt::format("k{}", i));
  for (int i = 0; i < 100; i += 2) Touch(table, 3, fmt::format("k{}", i));
  clock_.Advance(Millis(3'600'000));
  for (const std::string& one : Evict(40, kAllKeysLru, &table)) {
    EXPECT_EQ(std::stoi(one.substr(3)) % 2, 1) << one;
  }
}

}  // namespace
}  // namespace mayfly::server
