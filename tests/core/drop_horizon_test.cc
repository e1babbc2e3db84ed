// Goal: compaction may drop what core has purged and no reader can see, and nothing else.
// Method: watermarks and open states by hand, judges called a millisecond before, at and after;
// then a database whose engine is compacted while states are open.
#include "core/store/drop_horizon.h"

#include <gtest/gtest.h>

#include <utility>

#include "core/keyspaces/catalog.h"
#include "core/layout/row_codec.h"
#include "core/layout/version_codec.h"
#include "core/new_database.h"
#include "tests/core/each_engine.h"
#include "tests/engine/engine_home.h"

namespace mayfly::core {
namespace {

using engine::Role;

constexpr WallTime At(std::int64_t ms) { return WallTimeFromMs(ms); }

class DropHorizonTest : public ::testing::Test {
 protected:
  DropHorizonTest() {
    EXPECT_TRUE(catalog_.Load().ok());
    keyspace_ = *catalog_.Create("first", {});
  }

  bool Advance() { return horizon_.Advance(catalog_, states_, *engine_).value(); }

  // A stored pair that dies at this instant.
  static std::pair<std::string, std::string> PairOf(Role role, KeyspaceId keyspace,
                                                    std::int64_t deadline_ms) {
    std::string value;
    std::string key(Bytes(RowKey(keyspace, "key")));
    switch (role) {
      case Role::kRows: AppendRow(value, {.deadline = At(deadline_ms), .payload = {}}); break;
      case Role::kMembers:
        key = Bytes(RowKey(keyspace, MarkerKey("key")));
        AppendVersion(value, {.row = {.deadline = {}, .payload = {}, .timestamp = At(1)},
                              .deleted = true,
                              .kept_until = At(deadline_ms)});
        break;
      default: key = EntryKey(keyspace, At(deadline_ms), "key"); break;
    }
    return {std::move(key), std::move(value)};
  }
  bool IsDead(Role role, KeyspaceId keyspace, std::int64_t deadline_ms) {
    const auto [key, value] = PairOf(role, keyspace, deadline_ms);
    return horizon_.NewJudge(role)->IsDead(key, value);
  }
  bool IsBeingPurged(Role role, std::int64_t deadline_ms) {
    const auto [key, value] = PairOf(role, keyspace_->id(), deadline_ms);
    return horizon_.NewJudge(role)->IsBeingPurged(key, value);
  }

  const std::unique_ptr<engine::suite::EngineHome> home_ = engine::suite::MemoryKind().new_home();
  const std::unique_ptr<engine::Engine> engine_ = home_->Open(nullptr);
  Catalog catalog_{*engine_};
  OpenStates states_{*engine_};
  DropHorizon horizon_;
  std::shared_ptr<KeyspaceState> keyspace_;
};

TEST_F(DropHorizonTest, DropsWhatLiesBeforeTheWatermark) {
  keyspace_->RaiseWatermark(At(100));
  EXPECT_FALSE(IsDead(Role::kRows, keyspace_->id(), 50)) << "not published yet";
  EXPECT_TRUE(Advance());
  for (const Role role : {Role::kRows, Role::kExpiry}) {
    EXPECT_TRUE(IsDead(role, keyspace_->id(), 98));
    EXPECT_TRUE(IsDead(role, keyspace_->id(), 99));
    EXPECT_FALSE(IsDead(role, keyspace_->id(), 100)) << "what is on it may be there";
    EXPECT_FALSE(IsDead(role, keyspace_->id(), 101));
  }
  EXPECT_FALSE(IsDead(Role::kMembers, keyspace_->id(), 98))
      << "these have a watermark of their own";
  std::string immortal;
  AppendRow(immortal, {.deadline = {}, .payload = "value"});
  EXPECT_FALSE(horizon_.NewJudge(Role::kRows)->IsDead(RowKey(keyspace_->id(), "key"), immortal));
}

TEST_F(DropHorizonTest, DropsVersionsByTheirOwnWatermark) {
  keyspace_->RaiseMembersWatermark(At(100));
  EXPECT_TRUE(Advance());
  for (const auto& [role, id] : {std::pair(Role::kMembers, keyspace_->id()),
                                 std::pair(Role::kExpiry, MembersOf(keyspace_->id()))}) {
    EXPECT_TRUE(IsDead(role, id, 99));
    EXPECT_FALSE(IsDead(role, id, 100));
    EXPECT_FALSE(IsDead(role, id, 101));
  }
  EXPECT_FALSE(IsDead(Role::kRows, keyspace_->id(), 50));
  EXPECT_FALSE(IsDead(Role::kExpiry, keyspace_->id(), 50));
}

TEST_F(DropHorizonTest, WaitsForStatesThatAreOlder) {
  auto older = *states_.Open(StateKind::kSnapshot, At(1));
  keyspace_->RaiseWatermark(At(100));
  EXPECT_FALSE(Advance());
  EXPECT_FALSE(IsDead(Role::kRows, keyspace_->id(), 50));
  auto younger = *states_.Open(StateKind::kSnapshot, At(2));
  keyspace_->RaiseWatermark(At(200));
  EXPECT_FALSE(Advance());
  older.reset();
  // The horizon taken before the younger state is published; later purges wait for that state.
  EXPECT_FALSE(Advance());
  EXPECT_TRUE(IsDead(Role::kRows, keyspace_->id(), 99));
  EXPECT_FALSE(IsDead(Role::kRows, keyspace_->id(), 150));
  younger.reset();
  EXPECT_TRUE(Advance());
  EXPECT_TRUE(IsDead(Role::kRows, keyspace_->id(), 199));
}

TEST_F(DropHorizonTest, DropsEverythingOfAKeyspaceThatWasDroppedAndNothingOfAYoungerOne) {
  const auto second = *catalog_.Create("second", {});
  ASSERT_TRUE(Advance());
  ASSERT_TRUE(catalog_.Drop("second", WallTime()).ok());
  EXPECT_FALSE(IsDead(Role::kRows, second->id(), 1000)) << "not published yet";
  EXPECT_TRUE(Advance());
  for (const Role role : {Role::kRows, Role::kMembers, Role::kExpiry}) {
    EXPECT_TRUE(IsDead(role, second->id(), 1000));
    EXPECT_FALSE(IsDead(role, keyspace_->id(), 1000));
  }
  EXPECT_TRUE(IsDead(Role::kExpiry, MembersOf(second->id()), 1000));
  const auto third = *catalog_.Create("third", {});
  EXPECT_FALSE(IsDead(Role::kRows, third->id(), 1000));
  EXPECT_FALSE(IsDead(Role::kExpiry, MembersOf(third->id()), 1000));
}

TEST_F(DropHorizonTest, KeepsWhatItCannotRead) {
  keyspace_->RaiseWatermark(At(100));
  keyspace_->RaiseMembersWatermark(At(100));
  EXPECT_TRUE(Advance());
  for (const Role role : {Role::kRows, Role::kMembers, Role::kExpiry}) {
    const auto judge = horizon_.NewJudge(role);
    EXPECT_FALSE(judge->IsDead(RowKey(keyspace_->id(), "key"), "\x7f"));
    EXPECT_FALSE(judge->IsDead("ab", ""));
  }
  EXPECT_EQ(horizon_.NewJudge(Role::kEvents), nullptr);
  EXPECT_EQ(horizon_.NewJudge(Role::kMeta), nullptr);
}

TEST_F(DropHorizonTest, ForgetsWhatARepairMadeUncertain) {
  keyspace_->RaiseWatermark(At(100));
  EXPECT_TRUE(Advance());
  keyspace_->LowerWatermarks(At(0));
  horizon_.Forget();
  EXPECT_FALSE(IsDead(Role::kRows, keyspace_->id(), 50));
}

TEST_F(DropHorizonTest, WhatAReaperPurgesIsNotDeadYet) {
  for (const Role role : {Role::kRows, Role::kMembers, Role::kExpiry}) {
    EXPECT_FALSE(IsBeingPurged(role, 100)) << "there is no reaper";
    horizon_.NotePurge(At(100));
    EXPECT_TRUE(IsBeingPurged(role, 99));
    EXPECT_TRUE(IsBeingPurged(role, 100));
    EXPECT_FALSE(IsBeingPurged(role, 101));
    EXPECT_FALSE(IsDead(role, keyspace_->id(), 99));
    horizon_.NotePurge(std::nullopt);
    EXPECT_FALSE(IsBeingPurged(role, 99));
  }
  horizon_.NotePurge(At(100));
  EXPECT_FALSE(horizon_.NewJudge(Role::kRows)->IsBeingPurged(RowKey(1, "key"), "\x7f"));
}

// A database whose engine the test can reach.
class Compacted : public ::testing::TestWithParam<engine::suite::EngineKind> {
 protected:
  Compacted() : home_(GetParam().new_home()) {
    const auto horizon = std::make_shared<DropHorizon>();
    auto engine = home_->Open(horizon);
    engine_ = engine.get();
    horizon_ = horizon;
    database_ = *NewDatabase(std::move(engine), {.horizon = horizon, .clock = &clock_});
    rows_ =
        *database_->CreateKeyspace("rows", {.order = RowOrder::kTimestamp, .history = Millis(100)});
  }
  ~Compacted() override {
    const auto report = database_->Check();
    EXPECT_TRUE(report && report->clean());
  }

  // Publishes the horizon if possible, and rewrites every file.
  void Compact() {
    ASSERT_TRUE(database_->Reclaim({.everything = true}).has_value());
    for (const Role role : {Role::kRows, Role::kMembers, Role::kExpiry}) {
      const Status compacted = engine_->Compact(role);
      ASSERT_TRUE(compacted.ok()) << compacted.ToString();
    }
  }

  const std::unique_ptr<engine::suite::EngineHome> home_;
  ManualClock clock_{kStart};
  engine::Engine* engine_ = nullptr;      // database_'s.
  std::shared_ptr<DropHorizon> horizon_;  // Shared with both.
  std::unique_ptr<Database> database_;
  std::shared_ptr<Keyspace> rows_;
};

TEST_P(Compacted, EveryOpenStateSeesWhatItSaw) {
  ASSERT_TRUE(rows_->PutAt("key", "an older value", kStart - Millis(50), Lifetime::For(Millis(80)))
                  .value());
  ASSERT_TRUE(rows_->Put("key", "a newer value", Lifetime::For(Millis(10))).ok());
  auto snapshot = *database_->NewSnapshot();
  auto transaction = *database_->Begin();
  auto cursor = *rows_->NewCursor();
  auto past = *rows_->NewCursor({.as_of = kStart - Millis(1)});
  clock_.Advance(Millis(5));
  auto second = *database_->NewSnapshot();
  const auto expect_all = [&] {
    Compact();
    if (snapshot != nullptr) {
      EXPECT_EQ(snapshot->In(*rows_).Get("key").value_or("(gone)"), "a newer value");
      EXPECT_EQ(snapshot->In(*rows_).GetAsOf("key", kStart - Millis(1))->value, "an older value");
      EXPECT_EQ(snapshot->In(*rows_).ScanDeadlines({})->size(), 1u);
      EXPECT_EQ(snapshot->In(*rows_).Count().value(), 1u);
    }
    if (transaction != nullptr) {
      EXPECT_EQ(transaction->In(*rows_).Get("key").value_or("(gone)"), "a newer value");
    }
    for (Cursor* const one : {cursor.get(), past.get()}) {
      if (one == nullptr) continue;
      one->SeekToFirst();
      ASSERT_TRUE(one->Valid());
      EXPECT_EQ(one->value(), one == past.get() ? "an older value" : "a newer value");
    }
    EXPECT_EQ(second->In(*rows_).Get("key").value_or("(gone)"), "a newer value");
  };
  expect_all();
  for (const Millis step : {Millis(5), Millis(20), Millis(100), Millis(1000)}) {
    clock_.Advance(step);
    ASSERT_TRUE(database_->Purge().has_value());
    expect_all();
  }
  EXPECT_EQ(rows_->Get("key").value_or("(gone)"), "(gone)");
  snapshot.reset();
  expect_all();
  cursor.reset();
  past.reset();
  transaction.reset();
  expect_all();
  second.reset();
  Compact();
  EXPECT_EQ(database_->Prove({.find = "an older value"})->traces.size(), 0u);
}

// While the clock is not trusted nothing is purged, so there is nothing to wait for.
TEST_P(Compacted, AReaperSaysWhatItPurgesWhileItMay) {
  std::string row;
  AppendRow(row, {.deadline = kStart + Millis(10), .payload = {}});
  const auto is_being_purged = [&] {
    return horizon_->NewJudge(Role::kRows)->IsBeingPurged(RowKey(1, "key"), row);
  };
  auto reaper = *database_->StartReaper();
  reaper->AwaitIdle();
  EXPECT_FALSE(is_being_purged());
  clock_.Advance(Millis(10));
  reaper->AwaitIdle();
  EXPECT_TRUE(is_being_purged());
  clock_.Set(kStart + std::chrono::hours(100));
  reaper->AwaitIdle();
  EXPECT_FALSE(is_being_purged());
  ASSERT_TRUE(database_->ConfirmClock().ok());
  reaper->AwaitIdle();
  EXPECT_TRUE(is_being_purged());
  reaper.reset();
  EXPECT_FALSE(is_being_purged());
}

INSTANTIATE_TEST_SUITE_P(Engines, Compacted, ::testing::ValuesIn(engine::suite::AllEngineKinds()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace mayfly::core
