// Goal: a range delete removes exactly [begin, end) of one role, as of its place in the batch.
// Method: deletes over stored, absent and newly put keys, read now, by snapshot, and compacted.
#include <gtest/gtest.h>

#include "tests/engine/cases.h"

namespace mayfly::engine::suite {
namespace {

using namespace std::string_literals;

void PutLetters(Rig& rig, std::string_view letters) {
  for (const char letter : letters) rig.Put(kRows, std::string(1, letter), "value");
}

void ARangeDeleteIsHalfOpen(Rig& rig) {
  PutLetters(rig, "abcde");
  rig.DeleteRange(kRows, "b", "d");
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"a", "d", "e"}));
  EXPECT_EQ(rig.Get(kRows, "b"), std::nullopt);
  EXPECT_EQ(rig.Get(kRows, "c"), std::nullopt);
  EXPECT_EQ(rig.Get(kRows, "d"), "value");
}

void ARangeDeleteFromAKeyToItselfDeletesNothing(Rig& rig) {
  PutLetters(rig, "abc");
  rig.DeleteRange(kRows, "b", "b");
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"a", "b", "c"}));
}

void ARangeDeleteOverNothingIsOk(Rig& rig) {
  rig.DeleteRange(kRows, "a", "z");
  EXPECT_TRUE(rig.Scan(kRows).empty());
  PutLetters(rig, "am");
  rig.DeleteRange(kRows, "b", "l");
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"a", "m"}));
}

void ARangeDeleteRemovesWhatItsBatchPutBefore(Rig& rig) {
  PutLetters(rig, "b");
  Batch batch;
  batch.Put(kRows, "a", "kept");
  batch.Put(kRows, "c", "removed");
  batch.DeleteRange(kRows, "b", "d");
  rig.Commit(batch);
  EXPECT_EQ(rig.Scan(kRows), (Pairs{{"a", "kept"}}));
  EXPECT_EQ(rig.Get(kRows, "c"), std::nullopt);
}

void WhatABatchPutsAfterItsRangeDeleteStays(Rig& rig) {
  PutLetters(rig, "bc");
  Batch batch;
  batch.DeleteRange(kRows, "a", "z");
  batch.Put(kRows, "c", "new");
  rig.Commit(batch);
  EXPECT_EQ(rig.Scan(kRows), (Pairs{{"c", "new"}}));
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.Scan(kRows), (Pairs{{"c", "new"}}));
}

void RangeDeletesAndPutsTakeTurnsInABatch(Rig& rig) {
  Batch batch;
  batch.Put(kRows, "b", "1");
  batch.DeleteRange(kRows, "a", "c");
  batch.Put(kRows, "b", "2");
  batch.Put(kRows, "c", "2");
  batch.DeleteRange(kRows, "b", "c");
  batch.Put(kRows, "a", "3");
  batch.DeleteRange(kRows, "a\0"s, "c");
  rig.Commit(batch);
  EXPECT_EQ(rig.Scan(kRows), (Pairs{{"a", "3"}, {"c", "2"}}));
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.Scan(kRows), (Pairs{{"a", "3"}, {"c", "2"}}));
}

void ARangeDeleteIsBoundedByAnyBytes(Rig& rig) {
  const Keys keys = {"\0"s, "\0\0"s, "a", "a\0"s, "a\xff", "\xff", "\xff\xff"};
  for (const std::string& key : keys) rig.Put(kRows, key, "value");
  rig.DeleteRange(kRows, "\0\0"s, "a");
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"\0"s, "a", "a\0"s, "a\xff", "\xff", "\xff\xff"}));
  rig.DeleteRange(kRows, "a\0"s, "\xff\xff");
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"\0"s, "a", "\xff\xff"}));
  rig.DeleteRange(kRows, "\0"s, "\xff\xff\0"s);
  EXPECT_TRUE(rig.Scan(kRows).empty());
}

void ARangeDeleteTakesOneRoleOnly(Rig& rig) {
  for (const Address at : kAllRoles) rig.Put(at, "key", "value");
  rig.DeleteRange(kExpiry, "a", "z");
  for (const Address at : kAllRoles) {
    EXPECT_EQ(rig.Get(at, "key").has_value(), at.role != Role::kExpiry) << RoleName(at.role);
  }
}

void OverlappingRangeDeletesAddUp(Rig& rig) {
  PutLetters(rig, "abcdefgh");
  rig.DeleteRange(kRows, "b", "e");
  rig.DeleteRange(kRows, "c", "g");
  rig.DeleteRange(kRows, "d", "e");
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"a", "g", "h"}));
  rig.Put(kRows, "d", "back");
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"a", "d", "g", "h"}));
}

void ARangeDeleteLeavesSnapshotsAlone(Rig& rig) {
  PutLetters(rig, "abc");
  const auto before = rig.NewSnapshot();
  rig.DeleteRange(kRows, "a", "c");
  const auto between = rig.NewSnapshot();
  rig.Put(kRows, "b", "back");
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.ScanKeys(kRows, {.snapshot = before.get()}), (Keys{"a", "b", "c"}));
  EXPECT_EQ(rig.ScanKeys(kRows, {.snapshot = between.get()}), (Keys{"c"}));
  EXPECT_EQ(rig.Get(kRows, "b", before.get()), "value");
  EXPECT_EQ(rig.Get(kRows, "b", between.get()), std::nullopt);
  EXPECT_EQ(rig.Scan(kRows), (Pairs{{"b", "back"}, {"c", "value"}}));
}

// Rows below and above the range delete, in files and in memory.
void ARangeDeleteHoldsOverManyFiles(Rig& rig) {
  constexpr std::size_t kKeys = 2000;
  const auto fill = [&rig](Bytes value) {
    for (std::size_t i = 0; i < kKeys; i += 100) {
      Batch batch;
      for (std::size_t j = i; j < i + 100; ++j) batch.Put(kRows, NumberedKey(j), value);
      rig.Commit(batch);
    }
  };
  fill(std::string(100, 'a'));
  rig.Compact(Role::kRows);
  fill(std::string(100, 'b'));
  rig.DeleteRange(kRows, NumberedKey(500), NumberedKey(1500));
  for (std::size_t i = 600; i < 700; ++i) rig.Put(kRows, NumberedKey(i), "new");

  const auto check = [&rig] {
    const Pairs pairs = rig.Scan(kRows);
    EXPECT_EQ(pairs.size(), 500u + 100u + 500u);
    for (const auto& [key, value] : pairs) {
      const bool deleted = key >= NumberedKey(500) && key < NumberedKey(1500);
      ASSERT_EQ(value, deleted ? "new" : std::string(100, 'b')) << key;
    }
    EXPECT_EQ(rig.Get(kRows, NumberedKey(500)), std::nullopt);
    EXPECT_EQ(rig.Get(kRows, NumberedKey(1499)), std::nullopt);
    EXPECT_EQ(rig.Get(kRows, NumberedKey(1500)), std::string(100, 'b'));
  };
  check();
  rig.Compact(Role::kRows);
  check();
}

}  // namespace

Cases RangeDeleteCases() {
  return {
      MAYFLY_CASE(ARangeDeleteIsHalfOpen),
      MAYFLY_CASE(ARangeDeleteFromAKeyToItselfDeletesNothing),
      MAYFLY_CASE(ARangeDeleteOverNothingIsOk),
      MAYFLY_CASE(ARangeDeleteRemovesWhatItsBatchPutBefore),
      MAYFLY_CASE(WhatABatchPutsAfterItsRangeDeleteStays),
      MAYFLY_CASE(RangeDeletesAndPutsTakeTurnsInABatch),
      MAYFLY_CASE(ARangeDeleteIsBoundedByAnyBytes),
      MAYFLY_CASE(ARangeDeleteTakesOneRoleOnly),
      MAYFLY_CASE(OverlappingRangeDeletesAddUp),
      MAYFLY_CASE(ARangeDeleteLeavesSnapshotsAlone),
      MAYFLY_CASE(ARangeDeleteHoldsOverManyFiles),
  };
}

}  // namespace mayfly::engine::suite
