// Goal: a batch with conditions happens only if they all hold on the state before it.
// Method: conditions that hold and that do not, in all places of a batch, on rows of every kind.
#include <gtest/gtest.h>

#include "tests/engine/cases.h"

namespace mayfly::engine::suite {
namespace {

void ExpectConflict(Rig& rig, const Batch& batch) {
  const Status status = rig.engine().Commit(batch);
  EXPECT_EQ(status.code(), StatusCode::kConflict) << status.ToString();
}

void ARequiredValueThatIsThereLetsTheBatchPass(Rig& rig) {
  rig.Put(kRows, "key", "old");
  Batch batch;
  batch.Require(kRows, "key", "old");
  batch.Put(kRows, "key", "new");
  rig.Commit(batch);
  EXPECT_EQ(rig.Get(kRows, "key"), "new");
}

void ARequiredValueThatChangedIsAConflict(Rig& rig) {
  rig.Put(kRows, "key", "other");
  Batch batch;
  batch.Require(kRows, "key", "old");
  batch.Put(kRows, "key", "new");
  ExpectConflict(rig, batch);
  EXPECT_EQ(rig.Get(kRows, "key"), "other");
}

void ARequiredValueIsComparedToItsLastByte(Rig& rig) {
  rig.Put(kRows, "key", "value");
  for (const Bytes expected : {"valu", "value ", "valuf", "", "VALUE"}) {
    Batch batch;
    batch.Require(kRows, "key", expected);
    batch.Put(kRows, "written", "");
    ExpectConflict(rig, batch);
  }
  EXPECT_EQ(rig.Get(kRows, "written"), std::nullopt);
}

void ARequiredValueOfAMissingKeyIsAConflict(Rig& rig) {
  Batch batch;
  batch.Require(kRows, "key", "");
  batch.Put(kRows, "key", "new");
  ExpectConflict(rig, batch);
  rig.Put(kMembers, "key", "");  // Another role does not count.
  ExpectConflict(rig, batch);
  EXPECT_EQ(rig.Get(kRows, "key"), std::nullopt);
}

void ARequiredEmptyValueIsNotAbsence(Rig& rig) {
  rig.Put(kRows, "key", "");
  Batch absent;
  absent.RequireAbsent(kRows, "key");
  ExpectConflict(rig, absent);
  Batch empty;
  empty.Require(kRows, "key", "");
  empty.Put(kRows, "key", "new");
  rig.Commit(empty);
  EXPECT_EQ(rig.Get(kRows, "key"), "new");
}

void ARequiredAbsenceLetsTheFirstOneWinOnly(Rig& rig) {
  Batch first;
  first.RequireAbsent(kRows, "key");
  first.Put(kRows, "key", "first");
  rig.Commit(first);
  Batch second;
  second.RequireAbsent(kRows, "key");
  second.Put(kRows, "key", "second");
  ExpectConflict(rig, second);
  EXPECT_EQ(rig.Get(kRows, "key"), "first");
}

void ADeletedKeyIsAbsentForConditions(Rig& rig) {
  for (const Bytes key : {"a", "b", "c"}) rig.Put(kRows, key, "value");
  rig.Delete(kRows, "a");
  rig.DeleteRange(kRows, "b", "c");
  rig.Compact(Role::kRows);
  rig.Delete(kRows, "c");
  Batch batch;
  for (const Bytes key : {"a", "b", "c"}) {
    batch.RequireAbsent(kRows, key);
    batch.Put(kRows, key, "new");
  }
  rig.Commit(batch);
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"a", "b", "c"}));
}

void ConditionsLookAtTheStateBeforeTheBatch(Rig& rig) {
  rig.Put(kRows, "changed", "old");
  rig.Put(kRows, "deleted", "old");
  Batch batch;
  batch.Put(kRows, "changed", "new");
  batch.Require(kRows, "changed", "old");
  batch.Delete(kRows, "deleted");
  batch.Require(kRows, "deleted", "old");
  batch.Put(kRows, "added", "new");
  batch.RequireAbsent(kRows, "added");
  rig.Commit(batch);
  EXPECT_EQ(rig.Scan(kRows), (Pairs{{"added", "new"}, {"changed", "new"}}));

  Batch own_write;
  own_write.Put(kRows, "changed", "newer");
  own_write.Require(kRows, "changed", "newer");
  ExpectConflict(rig, own_write);
  EXPECT_EQ(rig.Get(kRows, "changed"), "new");
}

void EveryOneOfSeveralConditionsMustHold(Rig& rig) {
  constexpr std::size_t kConditions = 5;
  for (std::size_t i = 0; i < kConditions; ++i) rig.Put(kRows, NumberedKey(i), "value");
  for (std::size_t broken = 0; broken <= kConditions; ++broken) {
    Batch batch;
    for (std::size_t i = 0; i < kConditions; ++i) {
      batch.Require(kRows, NumberedKey(i), i == broken ? "other" : "value");
    }
    batch.Put(kMembers, "written", std::to_string(broken));
    if (broken < kConditions) {
      ExpectConflict(rig, batch);
      EXPECT_EQ(rig.Get(kMembers, "written"), std::nullopt);
    } else {
      rig.Commit(batch);
      EXPECT_EQ(rig.Get(kMembers, "written"), std::to_string(broken));
    }
  }
}

void AConflictWritesNothingInAnyRole(Rig& rig) {
  for (const Address at : kAllRoles) rig.Put(at, "key", "old");
  for (const Address condition_at : kAllRoles) {
    Batch batch;
    for (const Address at : kAllRoles) {
      batch.Put(at, "key", "new");
      batch.Put(at, "added", "new");
      batch.DeleteRange(at, "k", "l");
    }
    batch.Require(condition_at, "key", "never was");
    ExpectConflict(rig, batch);
    for (const Address at : kAllRoles) EXPECT_EQ(rig.Scan(at), (Pairs{{"key", "old"}}));
  }
}

void AConflictNamesTheKeyAndTheRole(Rig& rig) {
  Batch batch;
  batch.Require(kMembers, "the culprit", "value");
  const Status status = rig.engine().Commit(batch);
  EXPECT_EQ(status.code(), StatusCode::kConflict);
  EXPECT_NE(status.message().find("the culprit"), Bytes::npos) << status.message();
  EXPECT_NE(status.message().find("members"), Bytes::npos) << status.message();
}

void AConflictWithKeysOfAnyBytesIsToldInOneShortLine(Rig& rig) {
  Batch batch;
  batch.Require(kRows, std::string(kKeyBytesMax, '\n'), "value");
  const Status status = rig.engine().Commit(batch);
  EXPECT_EQ(status.code(), StatusCode::kConflict);
  EXPECT_EQ(status.message().find('\n'), Bytes::npos);
  EXPECT_LT(status.message().size(), 1000u);
}

void ConditionsAloneAreACheck(Rig& rig) {
  rig.Put(kRows, "key", "value");
  Batch holds;
  holds.Require(kRows, "key", "value");
  holds.RequireAbsent(kMembers, "key");
  rig.Commit(holds);
  Batch broken;
  broken.RequireAbsent(kRows, "key");
  ExpectConflict(rig, broken);
}

void ContradictingConditionsAreAConflict(Rig& rig) {
  Batch batch;
  batch.RequireAbsent(kRows, "key");
  batch.Require(kRows, "key", "value");
  ExpectConflict(rig, batch);
  rig.Put(kRows, "key", "value");
  ExpectConflict(rig, batch);
}

void AfterAConflictTheBatchMayBeTriedAgain(Rig& rig) {
  rig.Put(kRows, "key", "in the way");
  Batch batch;
  batch.RequireAbsent(kRows, "key");
  batch.Put(kRows, "key", "new");
  ExpectConflict(rig, batch);
  rig.Delete(kRows, "key");
  rig.Commit(batch);
  EXPECT_EQ(rig.Get(kRows, "key"), "new");
}

void ConditionsLookAtTheNewestStateAndAtNoSnapshot(Rig& rig) {
  rig.Put(kRows, "key", "old");
  const auto snapshot = rig.NewSnapshot();
  rig.Put(kRows, "key", "new");
  Batch stale;
  stale.Require(kRows, "key", "old");
  stale.Put(kRows, "key", "lost update");
  ExpectConflict(rig, stale);
  EXPECT_EQ(rig.Get(kRows, "key", snapshot.get()), "old");
  EXPECT_EQ(rig.Get(kRows, "key"), "new");
}

void ConditionsHoldOnLargeAndCompactedValues(Rig& rig) {
  const std::string large(std::size_t{256} << 10, 'x');
  rig.Put(kRows, "key", large);
  rig.Compact(Role::kRows);
  Batch batch;
  batch.Require(kRows, "key", large);
  batch.Put(kRows, "key", "small");
  rig.Commit(batch, Durability::kDisk);
  EXPECT_EQ(rig.Get(kRows, "key"), "small");
  ExpectConflict(rig, batch);
}

void ConditionsHoldAtEachDurability(Rig& rig) {
  for (const Durability durability : kAllDurabilities) {
    rig.Put(kRows, "key", "old");
    Batch batch;
    batch.Require(kRows, "key", "old");
    batch.Put(kRows, "key", "new");
    rig.Commit(batch, durability);
    EXPECT_EQ(rig.engine().Commit(batch, durability).code(), StatusCode::kConflict);
  }
}

}  // namespace

Cases ConditionCases() {
  return {
      MAYFLY_CASE(ARequiredValueThatIsThereLetsTheBatchPass),
      MAYFLY_CASE(ARequiredValueThatChangedIsAConflict),
      MAYFLY_CASE(ARequiredValueIsComparedToItsLastByte),
      MAYFLY_CASE(ARequiredValueOfAMissingKeyIsAConflict),
      MAYFLY_CASE(ARequiredEmptyValueIsNotAbsence),
      MAYFLY_CASE(ARequiredAbsenceLetsTheFirstOneWinOnly),
      MAYFLY_CASE(ADeletedKeyIsAbsentForConditions),
      MAYFLY_CASE(ConditionsLookAtTheStateBeforeTheBatch),
      MAYFLY_CASE(EveryOneOfSeveralConditionsMustHold),
      MAYFLY_CASE(AConflictWritesNothingInAnyRole),
      MAYFLY_CASE(AConflictNamesTheKeyAndTheRole),
      MAYFLY_CASE(AConflictWithKeysOfAnyBytesIsToldInOneShortLine),
      MAYFLY_CASE(ConditionsAloneAreACheck),
      MAYFLY_CASE(ContradictingConditionsAreAConflict),
      MAYFLY_CASE(AfterAConflictTheBatchMayBeTriedAgain),
      MAYFLY_CASE(ConditionsLookAtTheNewestStateAndAtNoSnapshot),
      MAYFLY_CASE(ConditionsHoldOnLargeAndCompactedValues),
      MAYFLY_CASE(ConditionsHoldAtEachDurability),
  };
}

}  // namespace mayfly::engine::suite
