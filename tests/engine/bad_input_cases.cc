// Goal: bad arguments are refused, with nothing written and a message that helps.
// Method: each bad argument to each call that takes it; then a check that nothing changed.
#include <gtest/gtest.h>

#include "engine/limits.h"
#include "tests/engine/cases.h"
#include "tests/engine/forwarding_engine.h"

namespace mayfly::engine::suite {
namespace {

constexpr Address kUnknownRole = {.role = static_cast<Role>(kRoleCount)};
constexpr Address kSlotTooHigh = {.role = Role::kRows, .slot = kSlotCount};

const std::string& LongestKey() {
  static const std::string key(kKeyBytesMax, 'k');
  return key;
}

const std::string& TooLongKey() {
  static const std::string key(kKeyBytesMax + 1, 'k');
  return key;
}

// A view longer than its bytes: the sanitizer catches an engine that reads before it checks.
Bytes TooLargeValue() { return {"x", kValueBytesMax + 1}; }

void ExpectInvalid(const Status& status) {
  EXPECT_EQ(status.code(), StatusCode::kInvalid) << status.ToString();
  EXPECT_FALSE(status.message().empty());
}

// Commits a batch in which everything is valid but what `spoil` adds.
void ExpectRefused(Rig& rig, void (*spoil)(Batch& batch)) {
  Batch batch;
  batch.Put(kRows, "before", "value");
  spoil(batch);
  batch.Put(kMembers, "after", "value");
  EXPECT_FALSE(batch.status().ok());
  ExpectInvalid(rig.engine().Commit(batch));
  for (const Address at : kAllRoles) EXPECT_TRUE(rig.Scan(at).empty());
}

void ReadsRefuseBadKeysAndAddresses(Rig& rig) {
  PinnedBytes value;
  ExpectInvalid(rig.engine().Get(kRows, "", value));
  ExpectInvalid(rig.engine().Get(kRows, TooLongKey(), value));
  ExpectInvalid(rig.engine().Get(kUnknownRole, "key", value));
  ExpectInvalid(rig.engine().Get(kSlotTooHigh, "key", value));
  EXPECT_TRUE(rig.engine().Get(kRows, LongestKey(), value).IsNotFound());
}

void CursorsRefuseBadBoundsAndAddresses(Rig& rig) {
  const auto open = [&rig](Address at, KeyRange range) {
    return rig.engine().NewCursor(at, {.range = range}).status();
  };
  ExpectInvalid(open(kRows, {.begin = "b", .end = "a"}));
  ExpectInvalid(open(kRows, {.begin = TooLongKey()}));
  ExpectInvalid(open(kRows, {.end = TooLongKey()}));
  ExpectInvalid(open(kUnknownRole, {}));
  ExpectInvalid(open(kSlotTooHigh, {}));
  EXPECT_TRUE(open(kRows, {.begin = "a", .end = "a"}).ok());
}

void CompactRefusesBadBoundsAndRoles(Rig& rig) {
  ExpectInvalid(rig.engine().Compact(kUnknownRole.role));
  ExpectInvalid(rig.engine().Compact(Role::kRows, {.begin = "b", .end = "a"}));
  ExpectInvalid(rig.engine().Compact(Role::kRows, {.end = TooLongKey()}));
  ExpectInvalid(rig.engine().Files(kUnknownRole.role).status());
}

void FileCallsRefuseBadRoles(Rig& rig) {
  ExpectInvalid(rig.engine().CompactFile(kUnknownRole.role, "name").status());
  ExpectInvalid(rig.engine().DropFile(kUnknownRole.role, "name").status());
}

void FindRefusesToLookForNothing(Rig& rig) {
  ExpectInvalid(rig.engine().Find("").status());
  ExpectInvalid(rig.engine().Find("", 1).status());
  ExpectInvalid(rig.engine().Find("needle", 0).status());
}

void ABatchWithABadPutWritesNothing(Rig& rig) {
  ExpectRefused(rig, [](Batch& batch) { batch.Put(kRows, "", "value"); });
  ExpectRefused(rig, [](Batch& batch) { batch.Put(kRows, TooLongKey(), "value"); });
  ExpectRefused(rig, [](Batch& batch) { batch.Put(kRows, "key", TooLargeValue()); });
  ExpectRefused(rig, [](Batch& batch) { batch.Put(kUnknownRole, "key", "value"); });
  ExpectRefused(rig, [](Batch& batch) { batch.Put(kSlotTooHigh, "key", "value"); });
}

void ABatchWithABadDeleteWritesNothing(Rig& rig) {
  ExpectRefused(rig, [](Batch& batch) { batch.Delete(kRows, ""); });
  ExpectRefused(rig, [](Batch& batch) { batch.Delete(kRows, TooLongKey()); });
  ExpectRefused(rig, [](Batch& batch) { batch.Delete(kUnknownRole, "key"); });
  ExpectRefused(rig, [](Batch& batch) { batch.Delete(kSlotTooHigh, "key"); });
}

void ABatchWithABadRangeDeleteWritesNothing(Rig& rig) {
  ExpectRefused(rig, [](Batch& batch) { batch.DeleteRange(kRows, "b", "a"); });
  ExpectRefused(rig, [](Batch& batch) { batch.DeleteRange(kRows, "", "a"); });
  ExpectRefused(rig, [](Batch& batch) { batch.DeleteRange(kRows, "a", ""); });
  ExpectRefused(rig, [](Batch& batch) { batch.DeleteRange(kRows, "a", TooLongKey()); });
  ExpectRefused(rig, [](Batch& batch) { batch.DeleteRange(kRows, TooLongKey(), "l"); });
  ExpectRefused(rig, [](Batch& batch) { batch.DeleteRange(kUnknownRole, "a", "b"); });
  ExpectRefused(rig, [](Batch& batch) { batch.DeleteRange(kSlotTooHigh, "a", "b"); });
}

void ABatchWithABadConditionWritesNothing(Rig& rig) {
  ExpectRefused(rig, [](Batch& batch) { batch.Require(kRows, "", "value"); });
  ExpectRefused(rig, [](Batch& batch) { batch.Require(kRows, TooLongKey(), "value"); });
  ExpectRefused(rig, [](Batch& batch) { batch.Require(kRows, "key", TooLargeValue()); });
  ExpectRefused(rig, [](Batch& batch) { batch.Require(kUnknownRole, "key", "value"); });
  ExpectRefused(rig, [](Batch& batch) { batch.RequireAbsent(kRows, ""); });
  ExpectRefused(rig, [](Batch& batch) { batch.RequireAbsent(kSlotTooHigh, "key"); });
}

void TheFirstBadOperationIsTheOneReported(Rig& rig) {
  Batch batch;
  batch.Put(kRows, "", "value");
  batch.Delete(kUnknownRole, "key");
  const Status status = rig.engine().Commit(batch);
  ExpectInvalid(status);
  EXPECT_NE(status.message().find("empty key"), Bytes::npos) << status.message();
}

void ABadBatchIsFineAgainWhenCleared(Rig& rig) {
  Batch batch;
  batch.Put(kRows, "", "value");
  ExpectInvalid(rig.engine().Commit(batch));
  batch.Clear();
  batch.Put(kRows, "key", "value");
  rig.Commit(batch);
  EXPECT_EQ(rig.Get(kRows, "key"), "value");
}

void AnEngineOfSeparateSlotsRefusesABatchThatSpansThem(Rig& rig) {
  rig.Wrap([](std::unique_ptr<Engine> inner) {
    Capabilities capabilities = inner->capabilities();
    capabilities.atomic_across_slots = false;
    return std::make_unique<ForwardingEngine>(std::move(inner), capabilities);
  });
  Batch changes;
  changes.Put({.role = Role::kRows, .slot = 1}, "a", "1");
  changes.Put({.role = Role::kRows, .slot = 2}, "b", "2");
  EXPECT_EQ(rig.engine().Commit(changes).code(), StatusCode::kCrossSlot);
  Batch condition;
  condition.Put({.role = Role::kRows, .slot = 1}, "a", "1");
  condition.RequireAbsent({.role = Role::kMembers, .slot = 2}, "b");
  EXPECT_EQ(rig.engine().Commit(condition).code(), StatusCode::kCrossSlot);
  EXPECT_TRUE(rig.Scan(kRows).empty());

  Batch one_slot;
  one_slot.Put({.role = Role::kRows, .slot = 2}, "a", "1");
  one_slot.Put({.role = Role::kExpiry, .slot = 2}, "b", "2");
  rig.Commit(one_slot);
  EXPECT_EQ(rig.Get({.role = Role::kRows, .slot = 2}, "a"), "1");
}

void AReadOnlyEngineRefusesChanges(Rig& rig) {
  rig.Put(kRows, "key", "value");
  rig.Wrap([](std::unique_ptr<Engine> inner) {
    Capabilities capabilities = inner->capabilities();
    capabilities.writable = false;
    return std::make_unique<ForwardingEngine>(std::move(inner), capabilities);
  });
  Batch batch;
  batch.Put(kRows, "key", "new");
  EXPECT_EQ(rig.engine().Commit(batch).code(), StatusCode::kReadOnly);
  EXPECT_EQ(rig.engine().Sync(Durability::kDisk).code(), StatusCode::kReadOnly);
  EXPECT_EQ(rig.engine().Compact(Role::kRows).code(), StatusCode::kReadOnly);
  EXPECT_EQ(rig.engine().CompactFile(Role::kRows, "name").status().code(), StatusCode::kReadOnly);
  EXPECT_EQ(rig.engine().DropFile(Role::kRows, "name").status().code(), StatusCode::kReadOnly);
  EXPECT_EQ(rig.engine().Flush().code(), StatusCode::kReadOnly);
  EXPECT_FALSE(rig.Find("value").empty());
  EXPECT_EQ(rig.Get(kRows, "key"), "value");
  const auto snapshot = rig.NewSnapshot();
  EXPECT_EQ(rig.Scan(kRows, {.snapshot = snapshot.get()}), (Pairs{{"key", "value"}}));
}

}  // namespace

Cases BadInputCases() {
  return {
      MAYFLY_CASE(ReadsRefuseBadKeysAndAddresses),
      MAYFLY_CASE(CursorsRefuseBadBoundsAndAddresses),
      MAYFLY_CASE(CompactRefusesBadBoundsAndRoles),
      MAYFLY_CASE(FileCallsRefuseBadRoles),
      MAYFLY_CASE(FindRefusesToLookForNothing),
      MAYFLY_CASE(ABatchWithABadPutWritesNothing),
      MAYFLY_CASE(ABatchWithABadDeleteWritesNothing),
      MAYFLY_CASE(ABatchWithABadRangeDeleteWritesNothing),
      MAYFLY_CASE(ABatchWithABadConditionWritesNothing),
      MAYFLY_CASE(TheFirstBadOperationIsTheOneReported),
      MAYFLY_CASE(ABadBatchIsFineAgainWhenCleared),
      MAYFLY_CASE(AnEngineOfSeparateSlotsRefusesABatchThatSpansThem),
      MAYFLY_CASE(AReadOnlyEngineRefusesChanges),
  };
}

}  // namespace mayfly::engine::suite
