// Goal: a sweep that missed events finds the dead nevertheless, a bounded number of items at a
// time, and does not search when no event of its table can be missing. Method: a manual clock and a
// memory engine that counts its calls; the test purges and trims behind the sweep's back.
#include <memory>

#include "core/counting_engine.h"
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"
#include "tables/schema/table_limits.h"
#include "tables/tables_home.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kStep = tables::kSweepSearchItemsMax;

// More than one sweep visits.
constexpr int kMany = 2 * static_cast<int>(kStep) + 500;

class MissedDeaths : public ::testing::Test {
 protected:
  MissedDeaths() {
    OpenTables();
    TableSpec spec = PlainSpec();
    spec.ttl_mode = TtlMode::kUntilSwept;
    EXPECT_TRUE(tables_->CreateTable(spec).has_value());
  }

  // State in memory is lost.
  void OpenTables() {
    tables_.reset();
    tables_ = *Tables::Open(*database_);
  }

  static Item Key(int i) { return {{"id", std::to_string(i)}}; }

  void Fill(int first, int last, std::int64_t seconds) {
    for (int i = first; i < last; ++i) {
      Item item = Key(i);
      item.emplace("expires", SecondsAfterStart(seconds));
      ASSERT_TRUE(tables_->PutItem({.table = "plain", .item = item}).has_value());
    }
  }

  std::uint64_t Sweep() {
    const auto swept = tables_->SweepExpired("plain");
    EXPECT_TRUE(swept.has_value()) << swept.status().ToString();
    return swept.value_or(0);
  }

  std::uint64_t CursorMovesOfASweep() {
    *costs_ = {};
    (void)Sweep();
    return costs_->cursor_moves;
  }

  std::uint64_t Items() { return tables_->DescribeTable("plain")->items; }
  bool IsThere(int i) {
    return tables_->GetItem({.table = "plain", .key = Key(i)})->item.has_value();
  }

  void Purge() { ASSERT_TRUE(database_->Purge().has_value()); }
  void TrimAll() { ASSERT_TRUE(database_->TrimEvents({.keep_newest = 0}).has_value()); }

  // Deaths in a keyspace that is not the table's.
  void LetOthersDie(Keyspace& others, int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(others.Put("k" + std::to_string(i), "v", Lifetime::For(1s)).ok());
    }
    clock_.Advance(1s);
    Purge();
  }

  ManualClock clock_{kStart};
  const std::shared_ptr<EngineCosts> costs_ = std::make_shared<EngineCosts>();
  const std::unique_ptr<Database> database_ = *core::NewDatabase(
      std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs_), {.clock = &clock_});
  std::unique_ptr<Tables> tables_;
};

TEST_F(MissedDeaths, AreNotSuspectedWhenAnothersPromiseTrimmedItsEvents) {
  Fill(0, 2000, 1000);
  Fill(2000, 2003, 10);
  const auto others = *database_->CreateKeyspace(
      "others", {.events = EventDetail::kKey, .purge_within = Millis(4000)});
  // Events of other keyspaces before, between and behind those of the table; all of theirs are
  // trimmed.
  LetOthersDie(*others, 20);
  clock_.Advance(9s);
  Purge();
  LetOthersDie(*others, 20);
  clock_.Advance(2s);
  ASSERT_TRUE(database_->Reclaim({.everything = true}).has_value());
  ASSERT_EQ(database_->ReadEvents(0, 100)->size(), 3U) << "the promise was kept";
  ASSERT_EQ(database_->EventsTrimmedThrough(), 0U);
  *costs_ = {};
  EXPECT_EQ(Sweep(), 3U);
  EXPECT_LT(costs_->cursor_moves, 500U) << "the table was gone over";
  EXPECT_EQ(Items(), 2000U);
  EXPECT_LT(CursorMovesOfASweep(), 50U);
}

TEST_F(MissedDeaths, AreSuspectedWhenThePromiseIsTheShadowsOwn) {
  Fill(0, 5, 10);
  const std::string shadows = "table.plain.shadows#" + tables_->DescribeTable("plain")->id + ".1";
  const auto keyspace = database_->OpenKeyspace(shadows);
  ASSERT_TRUE(keyspace.has_value()) << shadows;
  KeyspacePolicy policy = (*keyspace)->policy();
  policy.purge_within = Millis(4000);
  ASSERT_TRUE((*keyspace)->SetPolicy(policy).ok());
  clock_.Advance(10s);
  Purge();
  clock_.Advance(2s);
  ASSERT_TRUE(database_->Reclaim({.everything = true}).has_value());
  ASSERT_TRUE(database_->ReadEvents(0, 100)->empty());
  EXPECT_EQ(Sweep(), 5U);
}

TEST_F(MissedDeaths, AreNotSuspectedInEventsThatWereReadBeforeTheyWereTrimmed) {
  Fill(0, 2000, 100'000);
  const auto others = *database_->CreateKeyspace("others", {.events = EventDetail::kKey});
  LetOthersDie(*others, 100);
  EXPECT_EQ(Sweep(), 0U);
  TrimAll();
  EXPECT_LT(CursorMovesOfASweep(), 50U);
  OpenTables();
  EXPECT_LT(CursorMovesOfASweep(), 50U) << "the table was gone over";
  LetOthersDie(*others, 100);
  TrimAll();
  EXPECT_GT(CursorMovesOfASweep(), 500U) << "these could have been the table's";
}

TEST_F(MissedDeaths, AreFoundByBoundedSweepsThatGoOnWhereTheyStopped) {
  Fill(0, kMany, 10);
  Fill(kMany, kMany + 20, 1000);
  clock_.Advance(10s);
  Purge();
  TrimAll();
  std::uint64_t left = kMany;
  for (int sweeps = 1; left > 0; ++sweeps) {
    ASSERT_LE(sweeps, 3);
    *costs_ = {};
    const std::uint64_t swept = Sweep();
    EXPECT_LE(swept, kStep);
    EXPECT_GE(swept, std::min(left, kStep) - 20) << "those that live are looked at, too";
    EXPECT_LE(costs_->cursor_moves, 10 * kStep);
    left -= swept;
    EXPECT_EQ(Items(), left + 20) << "what no sweep has come to is visible";
    OpenTables();
  }
  for (int i = 0; i < kMany; ++i) ASSERT_FALSE(IsThere(i)) << i;
  for (int i = kMany; i < kMany + 20; ++i) EXPECT_TRUE(IsThere(i)) << i;
  EXPECT_EQ(Sweep(), 0U);
  EXPECT_LT(CursorMovesOfASweep(), 50U) << "the search is over";
}

TEST_F(MissedDeaths, AreFoundByUpkeepAtOnce) {
  Fill(0, kMany, 10);
  clock_.Advance(10s);
  Purge();
  TrimAll();
  const std::uint64_t first = Sweep();
  EXPECT_EQ(first, kStep);
  EXPECT_EQ(tables_->RunUpkeep().value(), 0U);
  EXPECT_EQ(Items(), kMany - first) << "found is not swept";
  EXPECT_EQ(Sweep(), kMany - first);
}

// A search restarted by each gap would never get past its first step, and one that never repeated
// would miss what died behind its position.
TEST_F(MissedDeaths, AreFoundThoughMoreAreMissedAllTheTime) {
  constexpr int kGroups = 5;
  constexpr int kGroup = 100;
  // In the order of the table, which is that of hashes, all of them lie mixed.
  for (int i = 0; i < kGroups; ++i) Fill(i * kGroup, (i + 1) * kGroup, std::int64_t{10} * (i + 1));
  Fill(kGroups * kGroup, kGroups * kGroup + kMany, 100'000);
  std::uint64_t gone = 0;
  for (int i = 0; i < kGroups; ++i) {
    clock_.Advance(10s);
    Purge();
    TrimAll();
    gone += Sweep();
    EXPECT_LE(gone, static_cast<std::uint64_t>((i + 1) * kGroup)) << "before its instant";
    EXPECT_EQ(Items(), kGroups * kGroup + kMany - gone);
  }
  // No event of the table is missing any more, but the sweep cannot know that.
  const auto others = *database_->CreateKeyspace("others", {.events = EventDetail::kKey});
  for (int sweeps = 0; Items() > kMany; ++sweeps) {
    ASSERT_LT(sweeps, 10) << Items() - kMany << " are still there";
    LetOthersDie(*others, 1);
    TrimAll();
    (void)Sweep();
  }
  EXPECT_EQ(Items(), static_cast<std::uint64_t>(kMany));
}

TEST_F(MissedDeaths, AreFoundBehindTheBackOfASearch) {
  constexpr int kFirst = 100;
  constexpr int kSecond = 200;
  Fill(0, kFirst, 10);
  Fill(kFirst, kFirst + kSecond, 20);
  Fill(kFirst + kSecond, kMany, 100'000);
  clock_.Advance(10s);
  Purge();
  TrimAll();
  std::uint64_t gone = Sweep();
  EXPECT_LT(gone, static_cast<std::uint64_t>(kFirst)) << "the search is not over";
  // These die before and behind the search's position.
  clock_.Advance(10s);
  Purge();
  TrimAll();
  for (int sweeps = 0; sweeps < 6; ++sweeps) gone += Sweep();
  EXPECT_EQ(gone, static_cast<std::uint64_t>(kFirst + kSecond));
}

TEST_F(MissedDeaths, AreFoundByAReaperBeforeItIsIdle) {
  constexpr int kDead = 100;
  Fill(0, kDead, 10);
  Fill(kDead, kDead + kMany, 100'000);
  clock_.Advance(10s);
  Purge();
  TrimAll();
  const auto reaper = *tables_->StartReaper({.reap = false, .sweep_every = 1h});
  reaper->AwaitIdle();
  EXPECT_EQ(Items(), static_cast<std::uint64_t>(kMany));
}

}  // namespace
}  // namespace mayfly
