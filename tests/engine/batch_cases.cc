// Goal: a batch is applied whole and in its own order.
// Method: batches that change the same keys several times, read back at once and after compaction.
#include <gtest/gtest.h>

#include "tests/engine/cases.h"

namespace mayfly::engine::suite {
namespace {

void TheLastChangeOfAKeyWins(Rig& rig) {
  rig.Put(kRows, "put, delete", "before");
  Batch batch;
  batch.Put(kRows, "put, put", "1");
  batch.Put(kRows, "put, delete", "1");
  batch.Delete(kRows, "delete, put");
  batch.Put(kRows, "put, put", "2");
  batch.Delete(kRows, "put, delete");
  batch.Put(kRows, "delete, put", "2");
  rig.Commit(batch);
  EXPECT_EQ(rig.Scan(kRows), (Pairs{{"delete, put", "2"}, {"put, put", "2"}}));
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.Scan(kRows), (Pairs{{"delete, put", "2"}, {"put, put", "2"}}));
}

void ABatchSpansAllRoles(Rig& rig) {
  rig.Put(kMembers, "gone", "value");
  rig.Put(kExpiry, "gone", "value");
  Batch batch;
  for (const Address at : kAllRoles) batch.Put(at, "key", RoleName(at.role));
  batch.Delete(kMembers, "gone");
  batch.DeleteRange(kExpiry, "g", "h");
  rig.Commit(batch);
  for (const Address at : kAllRoles) {
    EXPECT_EQ(rig.Scan(at), (Pairs{{"key", std::string(RoleName(at.role))}}));
  }
}

void AnEmptyBatchIsOk(Rig& rig) {
  const Batch batch;
  for (const Durability durability : kAllDurabilities) rig.Commit(batch, durability);
}

void ACommitDoesNotChangeItsBatch(Rig& rig) {
  Batch batch;
  batch.Put(kRows, "key", "value");
  batch.Delete(kRows, "other");
  rig.Commit(batch);
  EXPECT_EQ(batch.change_count(), 2u);
  rig.Delete(kRows, "key");
  rig.Put(kRows, "other", "value");
  rig.Commit(batch);
  EXPECT_EQ(rig.Scan(kRows), (Pairs{{"key", "value"}}));
}

void AClearedBatchIsUsedAgain(Rig& rig) {
  Batch batch;
  batch.Put(kRows, "a", "1");
  batch.RequireAbsent(kRows, "a");
  rig.Commit(batch);
  batch.Clear();
  EXPECT_TRUE(batch.empty());
  batch.Put(kMembers, "b", "2");
  rig.Commit(batch);
  EXPECT_EQ(rig.Scan(kRows), (Pairs{{"a", "1"}}));
  EXPECT_EQ(rig.Scan(kMembers), (Pairs{{"b", "2"}}));
}

void ALargeBatchIsAppliedWhole(Rig& rig) {
  constexpr std::size_t kKeys = 5000;
  Batch batch;
  Keys expected;
  for (std::size_t i = 0; i < kKeys; ++i) {
    batch.Put(kRows, NumberedKey(i), NumberedKey(i));
    batch.Put(kExpiry, NumberedKey(i), "");
    expected.push_back(NumberedKey(i));
  }
  rig.Commit(batch);
  EXPECT_TRUE(rig.ScanKeys(kRows) == expected);
  EXPECT_TRUE(rig.ScanKeys(kExpiry) == expected);
}

void ACommitIsSeenAtOnceWhateverItsDurability(Rig& rig) {
  for (const Durability durability : kAllDurabilities) {
    const std::string value = std::to_string(static_cast<int>(durability));
    Batch batch;
    batch.Put(kRows, "same", value);
    batch.Put(kRows, "key " + value, value);
    rig.Commit(batch, durability);
    EXPECT_EQ(rig.Get(kRows, "same"), value);
    EXPECT_EQ(rig.Get(kRows, "key " + value), value);
  }
}

void KeysAndValuesAreCopiedIntoTheBatch(Rig& rig) {
  std::string key = "key";
  std::string value = "value";
  Batch batch;
  batch.Put(kRows, key, value);
  key = "other";
  value = "thing";
  rig.Commit(batch);
  EXPECT_EQ(rig.Scan(kRows), (Pairs{{"key", "value"}}));
}

}  // namespace

Cases BatchCases() {
  return {
      MAYFLY_CASE(TheLastChangeOfAKeyWins),
      MAYFLY_CASE(ABatchSpansAllRoles),
      MAYFLY_CASE(AnEmptyBatchIsOk),
      MAYFLY_CASE(ACommitDoesNotChangeItsBatch),
      MAYFLY_CASE(AClearedBatchIsUsedAgain),
      MAYFLY_CASE(ALargeBatchIsAppliedWhole),
      MAYFLY_CASE(ACommitIsSeenAtOnceWhateverItsDurability),
      MAYFLY_CASE(KeysAndValuesAreCopiedIntoTheBatch),
  };
}

}  // namespace mayfly::engine::suite
