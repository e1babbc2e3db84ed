// Goal: a batch keeps its operations in order and byte for byte, and remembers its first bad one.
// Method: each operation read back, each refusal by itself and after another, and reuse after
// Clear.
#include "engine/batch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "engine/limits.h"

namespace mayfly::engine {
namespace {

constexpr Address kRows{.role = Role::kRows};
constexpr Address kMembers{.role = Role::kMembers};

void ExpectChange(const Batch& batch, std::size_t i, Batch::Kind kind, Role role, Bytes key,
                  Bytes value) {
  ASSERT_LT(i, batch.change_count());
  const Batch::Change change = batch.change(i);
  EXPECT_EQ(change.kind, kind);
  EXPECT_EQ(change.at.role, role);
  EXPECT_EQ(change.key, key);
  EXPECT_EQ(change.value, value);
}

void ExpectRefused(const Batch& batch, Bytes words) {
  EXPECT_EQ(batch.status().code(), StatusCode::kInvalid);
  EXPECT_NE(batch.status().message().find(words), Bytes::npos) << batch.status().ToString();
}

TEST(Batch, IsEmptyToBeginWith) {
  const Batch batch;
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.change_count(), 0u);
  EXPECT_EQ(batch.condition_count(), 0u);
  EXPECT_EQ(batch.bytes(), 0u);
  EXPECT_TRUE(batch.status().ok());
  EXPECT_FALSE(batch.spans_slots());
}

TEST(Batch, KeepsChangesInOrder) {
  Batch batch;
  batch.Put(kRows, "a", "1");
  batch.Delete(kMembers, "b");
  batch.DeleteRange(kRows, "c", "d");
  batch.Put(kRows, "a", "2");
  ASSERT_TRUE(batch.status().ok());
  ASSERT_EQ(batch.change_count(), 4u);
  ExpectChange(batch, 0, Batch::Kind::kPut, Role::kRows, "a", "1");
  ExpectChange(batch, 1, Batch::Kind::kDelete, Role::kMembers, "b", "");
  ExpectChange(batch, 2, Batch::Kind::kDeleteRange, Role::kRows, "c", "d");
  ExpectChange(batch, 3, Batch::Kind::kPut, Role::kRows, "a", "2");
  EXPECT_EQ(batch.bytes(), 7u);
  EXPECT_FALSE(batch.empty());
}

TEST(Batch, CopiesWhatItIsGiven) {
  Batch batch;
  {
    std::string key = "key";
    std::string value = "value";
    batch.Put(kRows, key, value);
    key = "xxx";
    value = "xxxxx";
  }
  ExpectChange(batch, 0, Batch::Kind::kPut, Role::kRows, "key", "value");
}

TEST(Batch, TakesEmptyValuesAndAnyBytes) {
  Batch batch;
  batch.Put(kRows, Bytes("\0", 1), "");
  batch.Put(kRows, "\xff", Bytes("\0\0", 2));
  ExpectChange(batch, 0, Batch::Kind::kPut, Role::kRows, Bytes("\0", 1), "");
  ExpectChange(batch, 1, Batch::Kind::kPut, Role::kRows, "\xff", Bytes("\0\0", 2));
}

TEST(Batch, KeepsConditionsApartFromChanges) {
  Batch batch;
  batch.Require(kRows, "a", "old");
  batch.Put(kRows, "a", "new");
  batch.RequireAbsent(kMembers, "b");
  batch.Require(kRows, "c", "");
  ASSERT_EQ(batch.change_count(), 1u);
  ASSERT_EQ(batch.condition_count(), 3u);
  ExpectChange(batch, 0, Batch::Kind::kPut, Role::kRows, "a", "new");
  EXPECT_EQ(batch.condition(0).key, "a");
  EXPECT_EQ(batch.condition(0).expected, Bytes("old"));
  EXPECT_EQ(batch.condition(1).key, "b");
  EXPECT_EQ(batch.condition(1).at.role, Role::kMembers);
  EXPECT_FALSE(batch.condition(1).expected.has_value());
  EXPECT_EQ(batch.condition(2).expected, Bytes("")) << "an empty value is not an absent one";
}

TEST(Batch, IsNotEmptyWithConditionsAlone) {
  Batch batch;
  batch.RequireAbsent(kRows, "a");
  EXPECT_FALSE(batch.empty());
  EXPECT_EQ(batch.change_count(), 0u);
}

TEST(Batch, TellsWhetherItSpansSlots) {
  Batch batch;
  batch.Put({.role = Role::kRows, .slot = 7}, "a", "1");
  batch.Delete({.role = Role::kMembers, .slot = 7}, "a");
  EXPECT_FALSE(batch.spans_slots()) << "roles are not slots";
  EXPECT_EQ(batch.change(0).at.slot, 7);
  batch.RequireAbsent({.role = Role::kRows, .slot = 8}, "b");
  EXPECT_TRUE(batch.spans_slots());
  EXPECT_EQ(batch.condition(0).at.slot, 8);
  batch.Put({.role = Role::kRows, .slot = 7}, "c", "1");
  EXPECT_TRUE(batch.spans_slots()) << "once spread, it stays spread";
}

TEST(Batch, RefusesBadAddresses) {
  Batch role;
  role.Put({.role = static_cast<Role>(kRoleCount)}, "a", "1");
  ExpectRefused(role, "unknown role 5");
  Batch slot;
  slot.Delete({.role = Role::kRows, .slot = kSlotCount}, "a");
  ExpectRefused(slot, "slot 16384 is out of range");
  Batch last;
  last.Put({.role = Role::kMeta, .slot = kSlotCount - 1}, "a", "1");
  EXPECT_TRUE(last.status().ok());
}

TEST(Batch, RefusesBadKeysInEveryOperation) {
  const std::string longest(kKeyBytesMax, 'k');
  const std::string too_long = longest + "k";
  const auto refuses = [](auto operation, Bytes words) {
    Batch batch;
    operation(batch);
    ExpectRefused(batch, words);
    EXPECT_TRUE(batch.empty());
  };
  for (const Bytes key : {Bytes(), Bytes(too_long)}) {
    const Bytes words = key.empty() ? "empty key" : "too long";
    refuses([&](Batch& b) { b.Put(kRows, key, "v"); }, words);
    refuses([&](Batch& b) { b.Delete(kRows, key); }, words);
    refuses([&](Batch& b) { b.Require(kRows, key, "v"); }, words);
    refuses([&](Batch& b) { b.RequireAbsent(kRows, key); }, words);
  }
  refuses([&](Batch& b) { b.DeleteRange(kRows, "", "z"); }, "empty key");
  refuses([&](Batch& b) { b.DeleteRange(kRows, "a", ""); }, "empty key");
  refuses([&](Batch& b) { b.DeleteRange(kRows, "a", too_long); }, "too long");
  Batch batch;
  batch.Put(kRows, longest, "v");
  EXPECT_TRUE(batch.status().ok());
}

TEST(Batch, RefusesAReversedRangeAndTakesAnEmptyOne) {
  Batch reversed;
  reversed.DeleteRange(kRows, "b", "a");
  ExpectRefused(reversed, "reversed");
  Batch same;
  same.DeleteRange(kRows, "a", "a");
  EXPECT_TRUE(same.status().ok());
  ExpectChange(same, 0, Batch::Kind::kDeleteRange, Role::kRows, "a", "a");
}

TEST(Batch, RemembersTheFirstErrorAndTakesNothingMore) {
  Batch batch;
  batch.Put(kRows, "a", "1");
  batch.Put(kRows, "", "2");
  batch.DeleteRange(kRows, "b", "a");
  batch.Put({.role = static_cast<Role>(77)}, "c", "3");
  batch.RequireAbsent(kRows, "d");
  ExpectRefused(batch, "empty key");
  EXPECT_EQ(batch.change_count(), 1u);
  EXPECT_EQ(batch.condition_count(), 0u);
}

TEST(Batch, ClearForgetsEverything) {
  Batch batch;
  batch.Put({.role = Role::kRows, .slot = 1}, "a", "1");
  batch.Require({.role = Role::kRows, .slot = 2}, "b", "2");
  batch.Put(kRows, "", "");
  batch.Clear();
  EXPECT_TRUE(batch.empty());
  EXPECT_TRUE(batch.status().ok());
  EXPECT_FALSE(batch.spans_slots());
  EXPECT_EQ(batch.bytes(), 0u);
  batch.Put({.role = Role::kRows, .slot = 3}, "c", "3");
  EXPECT_FALSE(batch.spans_slots()) << "the slot of before is forgotten, too";
  ExpectChange(batch, 0, Batch::Kind::kPut, Role::kRows, "c", "3");
}

TEST(Batch, IsTheSameAfterACopyAndAMove) {
  Batch batch;
  batch.Put(kRows, "a", "1");
  batch.RequireAbsent(kRows, "b");
  Batch copy = batch;
  batch.Clear();
  const Batch moved = std::move(copy);
  ExpectChange(moved, 0, Batch::Kind::kPut, Role::kRows, "a", "1");
  EXPECT_EQ(moved.condition(0).key, "b");
}

TEST(Batch, KeepsManyRandomChangesByteForByte) {
  Random random(1);
  struct Expected {
    std::string key;
    std::string value;
  };
  Batch batch;
  for (int round = 0; round < 3; ++round) {
    batch.Clear();
    std::vector<Expected> expected;
    std::size_t bytes = 0;
    for (int i = 0; i < 1000; ++i) {
      expected.push_back({random.Bytes(random.Between(1, 40)), random.Bytes(random.Below(300))});
      bytes += expected.back().key.size() + expected.back().value.size();
      batch.Put(kMembers, expected.back().key, expected.back().value);
    }
    ASSERT_EQ(batch.bytes(), bytes);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ExpectChange(batch, i, Batch::Kind::kPut, Role::kMembers, expected[i].key, expected[i].value);
    }
  }
}

TEST(Batch, RefusesAValueOverTheLimit) {
  const char byte = 'v';
  Batch batch;
  batch.Put(kRows, "a", Bytes(&byte, kValueBytesMax + 1));  // Refused before it is read.
  ExpectRefused(batch, "too large");
}

TEST(Batch, RefusesMoreBytesThanItsLimit) {
  const std::string half(kValueBytesMax, '\0');
  Batch batch;
  batch.Put(kRows, "a", half);
  batch.Put(kRows, "b", Bytes(half).substr(2));
  ASSERT_TRUE(batch.status().ok());
  ASSERT_EQ(batch.bytes(), kBatchBytesMax);
  batch.Delete(kRows, "c");
  ExpectRefused(batch, "batch exceeds 1073741824 bytes");
  EXPECT_EQ(batch.change_count(), 2u);
}

TEST(Batch, RefusesMoreOperationsThanItsLimit) {
  Batch batch;
  batch.RequireAbsent(kRows, "k");
  for (std::size_t i = 1; i < kBatchOperationsMax; ++i) batch.Delete(kRows, "k");
  ASSERT_TRUE(batch.status().ok());
  batch.Delete(kRows, "k");
  ExpectRefused(batch, "batch exceeds 16777216 operations");
  EXPECT_EQ(batch.change_count() + batch.condition_count(), kBatchOperationsMax);
}

}  // namespace
}  // namespace mayfly::engine
