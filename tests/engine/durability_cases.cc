// Goal: committed pairs survive a close, if the engine is persistent.
// Method: commit in every way, close, open, compare. Crashes are tested in tests/crash.
#include <gtest/gtest.h>

#include "tests/engine/cases.h"

namespace mayfly::engine::suite {
namespace {

// The pairs expected after a reopen, if `pairs` was committed before it.
Pairs Kept(Rig& rig, Pairs pairs) {
  return rig.engine().capabilities().persistent ? std::move(pairs) : Pairs();
}

void PersistIsOkAtEachLevel(Rig& rig) {
  for (const Durability durability : kAllDurabilities) {
    EXPECT_TRUE(rig.engine().Sync(durability).ok());
    rig.Put(kRows, "key", "value");
    const Status status = rig.engine().Sync(durability);
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(rig.Get(kRows, "key"), "value");
  }
}

void CommitsOfEachDurabilityAreThereAfterAReopen(Rig& rig) {
  Pairs expected;
  for (const Durability durability : kAllDurabilities) {
    const std::string key = std::to_string(static_cast<int>(durability));
    Batch batch;
    for (const Address at : kAllRoles) batch.Put(at, key, "value");
    rig.Commit(batch, durability);
    expected.emplace_back(key, "value");
  }
  rig.Reopen();
  for (const Address at : kAllRoles) EXPECT_EQ(rig.Scan(at), Kept(rig, expected));
}

void BulkLoadsAreThereAfterAReopenWithOrWithoutPersist(Rig& rig) {
  Batch batch;
  batch.Put(kRows, "a", "1");
  rig.Commit(batch, Durability::kNone);
  EXPECT_TRUE(rig.engine().Sync(Durability::kDisk).ok());
  batch.Clear();
  batch.Put(kRows, "b", "2");
  rig.Commit(batch, Durability::kNone);
  rig.Reopen();
  EXPECT_EQ(rig.Scan(kRows), Kept(rig, {{"a", "1"}, {"b", "2"}}));
}

void DeletesAreThereAfterAReopen(Rig& rig) {
  for (const Bytes key : {"a", "b", "c", "d"}) rig.Put(kRows, key, "value");
  rig.Reopen();
  rig.Delete(kRows, "a");
  rig.DeleteRange(kRows, "b", "d");
  rig.Reopen();
  EXPECT_EQ(rig.Scan(kRows), Kept(rig, {{"d", "value"}}));
  EXPECT_EQ(rig.Get(kRows, "a"), std::nullopt);
  EXPECT_EQ(rig.Get(kRows, "b"), std::nullopt);
}

void OverwritesAreThereAfterAReopen(Rig& rig) {
  rig.Put(kRows, "key", "1");
  rig.Compact(Role::kRows);
  rig.Put(kRows, "key", "2");
  rig.Reopen();
  EXPECT_EQ(rig.Scan(kRows), Kept(rig, {{"key", "2"}}));
}

void ManyReopensKeepEverything(Rig& rig) {
  Pairs expected;
  for (std::size_t i = 0; i < 5; ++i) {
    rig.Put(kRows, NumberedKey(i), std::to_string(i));
    expected.emplace_back(NumberedKey(i), std::to_string(i));
    rig.Reopen();
    if (i % 2 == 0) rig.Compact(Role::kRows);
  }
  EXPECT_EQ(rig.Scan(kRows), Kept(rig, expected));
}

void ManyKeysAreThereAfterAReopen(Rig& rig) {
  Pairs expected;
  for (std::size_t i = 0; i < 3000; i += 100) {
    Batch batch;
    for (std::size_t j = i; j < i + 100; ++j) {
      batch.Put(kRows, NumberedKey(j), std::string(100, 'x'));
      expected.emplace_back(NumberedKey(j), std::string(100, 'x'));
    }
    rig.Commit(batch);
  }
  rig.Reopen();
  EXPECT_TRUE(rig.Scan(kRows) == Kept(rig, expected));
}

void ConditionsHoldOnWhatAReopenFound(Rig& rig) {
  rig.Put(kRows, "key", "value");
  rig.Reopen();
  if (!rig.engine().capabilities().persistent) return;
  Batch absent;
  absent.RequireAbsent(kRows, "key");
  EXPECT_EQ(rig.engine().Commit(absent).code(), StatusCode::kConflict);
  Batch there;
  there.Require(kRows, "key", "value");
  rig.Commit(there);
}

void CommitsAfterAReopenAreNewerThanTheOnesBefore(Rig& rig) {
  rig.Put(kRows, "key", "before");
  rig.Reopen();
  const auto snapshot = rig.NewSnapshot();
  rig.Put(kRows, "key", "after");
  EXPECT_EQ(rig.Get(kRows, "key"), "after");
  EXPECT_EQ(rig.Scan(kRows, {.snapshot = snapshot.get()}), Kept(rig, {{"key", "before"}}));
}

}  // namespace

Cases DurabilityCases() {
  return {
      MAYFLY_CASE(PersistIsOkAtEachLevel),
      MAYFLY_CASE(CommitsOfEachDurabilityAreThereAfterAReopen),
      MAYFLY_CASE(BulkLoadsAreThereAfterAReopenWithOrWithoutPersist),
      MAYFLY_CASE(DeletesAreThereAfterAReopen),
      MAYFLY_CASE(OverwritesAreThereAfterAReopen),
      MAYFLY_CASE(ManyReopensKeepEverything),
      MAYFLY_CASE(ManyKeysAreThereAfterAReopen),
      MAYFLY_CASE(ConditionsHoldOnWhatAReopenFound),
      MAYFLY_CASE(CommitsAfterAReopenAreNewerThanTheOnesBefore),
  };
}

}  // namespace mayfly::engine::suite
