// Goal: a snapshot shows one state of all roles for as long as it is open.
// Method: change everything beside a snapshot, compact, and read it again in every way.
#include <gtest/gtest.h>

#include "tests/engine/cases.h"

namespace mayfly::engine::suite {
namespace {

void ASnapshotShowsTheStateOfItsMakingInAllRoles(Rig& rig) {
  for (const Address at : kAllRoles) {
    rig.Put(at, "changed", "old");
    rig.Put(at, "deleted", "old");
  }
  const auto snapshot = rig.NewSnapshot();
  for (const Address at : kAllRoles) {
    rig.Put(at, "added", "new");
    rig.Put(at, "changed", "new");
    rig.Delete(at, "deleted");
  }
  for (const Address at : kAllRoles) {
    EXPECT_EQ(rig.Get(at, "added", snapshot.get()), std::nullopt);
    EXPECT_EQ(rig.Get(at, "changed", snapshot.get()), "old");
    EXPECT_EQ(rig.Get(at, "deleted", snapshot.get()), "old");
    EXPECT_EQ(rig.Scan(at, {.snapshot = snapshot.get()}),
              (Pairs{{"changed", "old"}, {"deleted", "old"}}));
    EXPECT_EQ(rig.Scan(at), (Pairs{{"added", "new"}, {"changed", "new"}}));
  }
}

void ASnapshotIsNotMovedByTheNewestOfManyWrites(Rig& rig) {
  rig.Put(kRows, "key", "seen");
  const auto snapshot = rig.NewSnapshot();
  for (std::size_t i = 0; i < 2000; ++i) rig.Put(kRows, "key", std::string(100, 'x'));
  EXPECT_EQ(rig.Get(kRows, "key", snapshot.get()), "seen");
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.Get(kRows, "key", snapshot.get()), "seen");
}

void ASnapshotOutlivesDeleteRangeDeleteAndCompaction(Rig& rig) {
  Keys keys;
  for (std::size_t i = 0; i < 500; ++i) {
    keys.push_back(NumberedKey(i));
    rig.Put(kRows, keys.back(), std::string(200, 'x'));
  }
  const auto snapshot = rig.NewSnapshot();
  rig.DeleteRange(kRows, NumberedKey(100), NumberedKey(400));
  for (std::size_t i = 0; i < 100; ++i) rig.Delete(kRows, NumberedKey(i));
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.ScanKeys(kRows).size(), 100u);
  EXPECT_TRUE(rig.ScanKeys(kRows, {.snapshot = snapshot.get()}) == keys);
  EXPECT_EQ(rig.Get(kRows, NumberedKey(0), snapshot.get()), std::string(200, 'x'));
  EXPECT_EQ(rig.Get(kRows, NumberedKey(399), snapshot.get()), std::string(200, 'x'));
}

void EachOfSeveralSnapshotsShowsItsOwnState(Rig& rig) {
  constexpr std::size_t kStates = 10;
  std::vector<std::unique_ptr<Snapshot>> snapshots;
  for (std::size_t i = 0; i < kStates; ++i) {
    rig.Put(kRows, "key", std::to_string(i));
    rig.Put(kRows, NumberedKey(i), "");
    snapshots.push_back(rig.NewSnapshot());
  }
  // Released from the middle outwards, so that neither the oldest nor the newest always goes first.
  for (const std::size_t released : {4u, 5u, 3u, 6u, 9u, 0u, 1u, 8u, 2u, 7u}) {
    for (std::size_t i = 0; i < kStates; ++i) {
      if (!snapshots[i]) continue;
      EXPECT_EQ(rig.Get(kRows, "key", snapshots[i].get()), std::to_string(i));
      EXPECT_EQ(rig.Scan(kRows, {.snapshot = snapshots[i].get()}).size(), i + 2);
    }
    snapshots[released].reset();
    rig.Put(kRows, "key", "later");
    rig.Compact(Role::kRows);
  }
}

void TwoSnapshotsOfOneStateAreReleasedOneByOne(Rig& rig) {
  rig.Put(kRows, "key", "old");
  auto first = rig.NewSnapshot();
  const auto second = rig.NewSnapshot();
  rig.Put(kRows, "key", "new");
  first.reset();
  rig.Put(kRows, "key", "newer");
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.Get(kRows, "key", second.get()), "old");
}

void ASnapshotOfAnEmptyEngineStaysEmpty(Rig& rig) {
  const auto snapshot = rig.NewSnapshot();
  for (const Address at : kAllRoles) rig.Put(at, "key", "value");
  for (const Address at : kAllRoles) {
    EXPECT_EQ(rig.Get(at, "key", snapshot.get()), std::nullopt);
    EXPECT_TRUE(rig.Scan(at, {.snapshot = snapshot.get()}).empty());
  }
}

void ASnapshotKeepsAKeyThatComesAndGoes(Rig& rig) {
  rig.Put(kRows, "key", "1");
  const auto present = rig.NewSnapshot();
  rig.Delete(kRows, "key");
  const auto absent = rig.NewSnapshot();
  rig.Put(kRows, "key", "2");
  rig.Delete(kRows, "key");
  rig.Put(kRows, "key", "3");
  EXPECT_EQ(rig.Get(kRows, "key", present.get()), "1");
  EXPECT_EQ(rig.Get(kRows, "key", absent.get()), std::nullopt);
  EXPECT_TRUE(rig.Scan(kRows, {.snapshot = absent.get()}).empty());
  EXPECT_EQ(rig.Get(kRows, "key"), "3");
}

void ASnapshotSeesAllOfABatchOrNothing(Rig& rig) {
  const auto before = rig.NewSnapshot();
  Batch batch;
  batch.Put(kRows, "key", "value");
  batch.Put(kExpiry, "entry", "");
  rig.Commit(batch);
  const auto after = rig.NewSnapshot();
  EXPECT_EQ(rig.Get(kRows, "key", before.get()), std::nullopt);
  EXPECT_EQ(rig.Get(kExpiry, "entry", before.get()), std::nullopt);
  EXPECT_EQ(rig.Get(kRows, "key", after.get()), "value");
  EXPECT_EQ(rig.Get(kExpiry, "entry", after.get()), "");
}

}  // namespace

Cases SnapshotCases() {
  return {
      MAYFLY_CASE(ASnapshotShowsTheStateOfItsMakingInAllRoles),
      MAYFLY_CASE(ASnapshotIsNotMovedByTheNewestOfManyWrites),
      MAYFLY_CASE(ASnapshotOutlivesDeleteRangeDeleteAndCompaction),
      MAYFLY_CASE(EachOfSeveralSnapshotsShowsItsOwnState),
      MAYFLY_CASE(TwoSnapshotsOfOneStateAreReleasedOneByOne),
      MAYFLY_CASE(ASnapshotOfAnEmptyEngineStaysEmpty),
      MAYFLY_CASE(ASnapshotKeepsAKeyThatComesAndGoes),
      MAYFLY_CASE(ASnapshotSeesAllOfABatchOrNothing),
  };
}

}  // namespace mayfly::engine::suite
