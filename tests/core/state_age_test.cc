// Goal: with state_age_max, states that are open for too long are revoked: their calls return
// Conflict, they hold nothing and delay nothing, and no reader sees wrong rows meanwhile.
// Method: snapshots, transactions and cursors grow old on a clock that stands still, on both
// engines; threads read while their states are revoked.
#include <gtest/gtest.h>

#include <atomic>

#include "core/each_engine.h"
#include "tests/engine/together.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using engine::suite::RunTogether;

constexpr Millis kAgeMax = 10min;

class StateAge : public EachEngine {
 protected:
  StateAge() : EachEngine({.state_age_max = kAgeMax}) {
    for (const char* key : {"a", "b", "c"}) EXPECT_EQ(CodeOf(rows().Put(key, "value")), kOk);
  }

  // Revokes states that are too old.
  void Look() { ASSERT_TRUE(database().Reclaim().has_value()); }

  void GrowOld() {
    clock().Advance(kAgeMax + 1ms);
    Look();
  }

  std::uint64_t Revoked() { return database().GetStatistics()->revoked_states; }
};

TEST_P(StateAge, ASnapshotIsTakenAwayWhenItIsOlderThanAllowed) {
  const auto snapshot = *database().NewSnapshot();
  for (const Millis step : {kAgeMax - 1ms, 1ms}) {
    clock().Advance(step);
    Look();
    EXPECT_EQ(snapshot->In(rows()).Get("a").value_or(""), "value");
  }
  EXPECT_EQ(Revoked(), 0u);
  clock().Advance(1ms);
  EXPECT_EQ(snapshot->In(rows()).Get("a").value_or(""), "value") << "nobody has looked yet";
  Look();
  EXPECT_EQ(Revoked(), 1u);
  const KeyspaceReader& reader = snapshot->In(rows());
  EXPECT_EQ(CodeOf(reader.Get("a")), kConflict);
  EXPECT_EQ(CodeOf(reader.GetRow("a")), kConflict);
  EXPECT_EQ(CodeOf(reader.Exists("missing")), kConflict);
  EXPECT_EQ(CodeOf(reader.Ttl("a")), kConflict);
  EXPECT_EQ(CodeOf(reader.Count()), kConflict);
  EXPECT_EQ(CodeOf(reader.NewCursor()), kConflict);
  const Bytes keys[] = {"a", "b"};
  EXPECT_EQ(CodeOf(reader.MultiGet(keys)), kConflict);
  EXPECT_EQ(rows().Get("a").value_or(""), "value") << "the newest state is nobody's";
  Look();
  EXPECT_EQ(Revoked(), 1u) << "once";
}

TEST_P(StateAge, OnlyWhatIsOldGoes) {
  const auto old = *database().NewSnapshot();
  clock().Advance(kAgeMax);
  const auto young = *database().NewSnapshot();
  clock().Advance(1ms);
  Look();
  EXPECT_EQ(CodeOf(old->In(rows()).Get("a")), kConflict);
  EXPECT_EQ(young->In(rows()).Get("a").value_or(""), "value");
  EXPECT_EQ(database().GetStatistics()->open_snapshots, 1u);
}

TEST_P(StateAge, ATransactionReadsAndCommitsNothingAnyMore) {
  const auto reader = *database().Begin();
  const auto writer = *database().Begin();
  const auto idle = *database().Begin();
  EXPECT_EQ(reader->In(rows()).Get("a").value_or(""), "value");
  ASSERT_EQ(CodeOf(writer->In(rows()).Put("a", "changed")), kOk);
  GrowOld();
  EXPECT_EQ(CodeOf(reader->In(rows()).Get("a")), kConflict);
  EXPECT_EQ(CodeOf(reader->Commit()), kConflict);
  EXPECT_EQ(CodeOf(writer->In(rows()).Put("b", "changed")), kConflict);
  EXPECT_EQ(CodeOf(writer->In(rows()).Delete("c")), kConflict);
  EXPECT_EQ(CodeOf(writer->Commit()), kConflict);
  EXPECT_EQ(CodeOf(writer->Commit()), kInvalid) << "it is over";
  idle->Rollback();
  EXPECT_EQ(rows().Get("a").value_or(""), "value");
  EXPECT_EQ(rows().Count().value(), 3u);
  EXPECT_EQ(Revoked(), 3u);
  EXPECT_EQ(database().GetStatistics()->conflicts, 2u);
}

TEST_P(StateAge, TransactBeginsAgainWithAYoungOne) {
  int attempts = 0;
  const Status done = database().Transact([&](Transaction& transaction) {
    Status put = transaction.In(rows()).Put("a", "changed");
    if (++attempts == 1) GrowOld();  // So that its commit is a conflict.
    return put;
  });
  EXPECT_EQ(CodeOf(done), kOk) << done.ToString();
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(rows().Get("a").value_or(""), "changed");
}

TEST_P(StateAge, ACursorKeepsTheBytesItShowedLast) {
  const auto snapshot = *database().NewSnapshot();
  const auto transaction = *database().Begin();
  ASSERT_EQ(CodeOf(transaction->In(rows()).Put("aa", "own")), kOk);
  std::vector<std::unique_ptr<Cursor>> cursors;
  cursors.push_back(*rows().NewCursor());
  cursors.push_back(*snapshot->In(rows()).NewCursor());
  cursors.push_back(*transaction->In(rows()).NewCursor());
  for (const auto& cursor : cursors) {
    cursor->SeekAtOrAfter("b");
    ASSERT_TRUE(cursor->Valid());
  }
  GrowOld();
  EXPECT_EQ(Revoked(), 3u) << "a cursor reads from the state it was opened in";
  for (const auto& cursor : cursors) {
    EXPECT_TRUE(cursor->Valid());
    EXPECT_EQ(cursor->key(), "b");
    EXPECT_EQ(cursor->value(), "value");
    cursor->Next();
    EXPECT_FALSE(cursor->Valid());
    EXPECT_EQ(CodeOf(cursor->status()), kConflict);
    cursor->SeekToFirst();
    EXPECT_FALSE(cursor->Valid());
    EXPECT_EQ(CodeOf(cursor->status()), kConflict);
  }
}

TEST_P(StateAge, TheReaperLooksToo) {
  const auto snapshot = *database().NewSnapshot();
  const auto reaper = *database().StartReaper();
  clock().Advance(kAgeMax + 1ms);
  reaper->AwaitIdle();
  EXPECT_EQ(CodeOf(snapshot->In(rows()).Get("a")), kConflict);
  EXPECT_EQ(Revoked(), 1u);
}

TEST_P(StateAge, WhatWasTakenAwayIsInNobodysWayWhenTheDatabaseCloses) {
  auto snapshot = *database().NewSnapshot();
  auto transaction = *database().Begin();
  auto cursor = *rows().NewCursor();
  auto snapshot_cursor = *snapshot->In(rows()).NewCursor();
  EXPECT_EQ(CodeOf(database().Close()), kBusy);
  EXPECT_EQ(rows().Get("a").value_or(""), "value") << "nothing is closed";
  GrowOld();
  EXPECT_EQ(CodeOf(snapshot->In(rows()).Get("a")), kConflict);
  // A reader keeps its keyspace, so it is used before that goes.
  home_.Reopen();
  EXPECT_EQ(rows().Count().value_or(0), home_.persistent() ? 3u : 0u);
  // They may be destroyed in any order, after their database.
  cursor->Next();
  EXPECT_EQ(CodeOf(cursor->status()), kConflict);
  snapshot.reset();
  snapshot_cursor.reset();
  cursor.reset();
  EXPECT_NE(CodeOf(transaction->Commit()), kOk);
  transaction.reset();
}

TEST_P(StateAge, ThreadsThatReadMeanwhileSeeAllOrAreTold) {
  constexpr int kRounds = 30;
  for (int round = 0; round < kRounds; ++round) {
    const auto snapshot = *database().NewSnapshot();
    std::atomic<int> readers{3};
    const auto read_until_told = [&] {
      for (;;) {
        const auto count = snapshot->In(rows()).Count();
        if (!count) {
          EXPECT_EQ(CodeOf(count), kConflict);
          break;
        }
        EXPECT_EQ(*count, 3u);
      }
      --readers;
    };
    RunTogether({read_until_told, read_until_told,
                 [&] {
                   const auto opened = snapshot->In(rows()).NewCursor();
                   std::size_t seen = 0;
                   while (opened && (*opened)->status().ok()) {
                     seen = 0;
                     for ((*opened)->SeekToFirst(); (*opened)->Valid(); (*opened)->Next()) {
                       EXPECT_EQ((*opened)->value(), "value");
                       ++seen;
                     }
                     if ((*opened)->status().ok()) {
                       EXPECT_EQ(seen, 3u);
                     }
                   }
                   --readers;
                 },
                 [&] {
                   clock().Advance(kAgeMax + 1ms);
                   while (readers > 0) Look();
                 }});
    EXPECT_EQ(Revoked(), static_cast<std::uint64_t>(round + 1));
    EXPECT_TRUE(database().Prove()->holders.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(On, StateAge, AllEngines(), NameOfEngine);

TEST(StateAgeNotSet, NothingIsEverTakenAway) {
  DatabaseHome home(EngineKind::kRocks);
  ASSERT_EQ(CodeOf(home.keyspace().Put("a", "value")), kOk);
  const auto snapshot = *home.database().NewSnapshot();
  home.clock().Advance(1000 * 24h);
  ASSERT_TRUE(home.database().Reclaim({.everything = true}).has_value());
  EXPECT_EQ(snapshot->In(home.keyspace()).Get("a").value_or(""), "value");
}

}  // namespace
}  // namespace mayfly
