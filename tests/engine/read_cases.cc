// Goal: a read returns what was last put under its key, and its value stays unchanged.
// Method: single puts and gets over all kinds of bytes; values held while their rows change.
#include <gtest/gtest.h>

#include "tests/engine/cases.h"

namespace mayfly::engine::suite {
namespace {

void GetReturnsWhatWasPut(Rig& rig) {
  rig.Put(kRows, "key", "value");
  EXPECT_EQ(rig.Get(kRows, "key"), "value");
}

void GetOfAMissingKeyIsNotFoundAndEmptiesTheValue(Rig& rig) {
  rig.Put(kRows, "key", "value");
  PinnedBytes value;
  ASSERT_TRUE(rig.engine().Get(kRows, "key", value).ok());
  const Status status = rig.engine().Get(kRows, "other", value);
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_TRUE(value.view().empty());
}

void GetOnAnEmptyEngineIsNotFound(Rig& rig) {
  for (const Address at : kAllRoles) EXPECT_EQ(rig.Get(at, "key"), std::nullopt);
}

void GetAfterOverwriteReturnsTheNewValue(Rig& rig) {
  rig.Put(kRows, "key", "a long first value");
  rig.Put(kRows, "key", "short");
  EXPECT_EQ(rig.Get(kRows, "key"), "short");
}

void GetAfterDeleteIsNotFound(Rig& rig) {
  rig.Put(kRows, "key", "value");
  rig.Delete(kRows, "key");
  EXPECT_EQ(rig.Get(kRows, "key"), std::nullopt);
  rig.Put(kRows, "key", "again");
  EXPECT_EQ(rig.Get(kRows, "key"), "again");
}

void DeleteOfAMissingKeyIsOk(Rig& rig) {
  rig.Delete(kRows, "key");
  EXPECT_EQ(rig.Get(kRows, "key"), std::nullopt);
  EXPECT_TRUE(rig.Scan(kRows).empty());
}

void AnEmptyValueIsNotAnAbsentOne(Rig& rig) {
  rig.Put(kRows, "key", "");
  EXPECT_EQ(rig.Get(kRows, "key"), "");
  EXPECT_EQ(rig.Scan(kRows), (Pairs{{"key", ""}}));
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.Get(kRows, "key"), "");
}

void ValuesMayHoldAnyBytes(Rig& rig) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  rig.Put(kRows, "key", bytes);
  EXPECT_EQ(rig.Get(kRows, "key"), bytes);
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.Get(kRows, "key"), bytes);
}

void KeysMayHoldAnyBytesAndAreOrderedAsUnsigned(Rig& rig) {
  Keys keys;
  for (int byte = 0; byte < 256; ++byte) keys.push_back(std::string(1, static_cast<char>(byte)));
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) rig.Put(kRows, *key, *key);
  for (const std::string& key : keys) EXPECT_EQ(rig.Get(kRows, key), key);
  EXPECT_EQ(rig.ScanKeys(kRows), keys);
}

void KeysThatBeginAlikeAreDifferentKeys(Rig& rig) {
  using namespace std::string_literals;
  const Keys keys = {"a", "a\0"s, "a\0\0"s, "a\0b"s, "aa", "a\xff", "a\xff\0"s, "a\xff\xff"};
  for (const std::string& key : keys) rig.Put(kRows, key, "value of " + key);
  for (const std::string& key : keys) EXPECT_EQ(rig.Get(kRows, key), "value of " + key);
  rig.Delete(kRows, "a\0"s);
  EXPECT_EQ(rig.Get(kRows, "a"), "value of a");
  EXPECT_EQ(rig.Get(kRows, "a\0"s), std::nullopt);
  EXPECT_EQ(rig.Get(kRows, "a\0\0"s), "value of a\0\0"s);
}

void TheLongestKeyIsTaken(Rig& rig) {
  const std::string key(kKeyBytesMax, 'k');
  rig.Put(kRows, key, "value");
  EXPECT_EQ(rig.Get(kRows, key), "value");
  EXPECT_EQ(rig.Get(kRows, key.substr(1)), std::nullopt);
  EXPECT_EQ(rig.ScanKeys(kRows), Keys{key});
}

void ValuesOfAMebibyteComeBackWhole(Rig& rig) {
  std::string large(std::size_t{1} << 20, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 7 + i / 256);
  rig.Put(kRows, "large", large);
  rig.Put(kRows, "small", "value");
  EXPECT_TRUE(rig.Get(kRows, "large") == large);
  rig.Compact(Role::kRows);
  EXPECT_TRUE(rig.Get(kRows, "large") == large);
  EXPECT_EQ(rig.ScanKeys(kRows), (Keys{"large", "small"}));
}

void RolesAreMapsOfTheirOwn(Rig& rig) {
  for (const Address at : kAllRoles) rig.Put(at, "key", RoleName(at.role));
  for (const Address at : kAllRoles) EXPECT_EQ(rig.Get(at, "key"), RoleName(at.role));
  rig.Delete(kMembers, "key");
  rig.DeleteRange(kEvents, "a", "z");
  EXPECT_EQ(rig.Get(kRows, "key"), "rows");
  EXPECT_EQ(rig.Get(kMembers, "key"), std::nullopt);
  EXPECT_EQ(rig.Get(kExpiry, "key"), "expiry");
  EXPECT_EQ(rig.Get(kEvents, "key"), std::nullopt);
  EXPECT_EQ(rig.Scan(kMeta), (Pairs{{"key", "meta"}}));
}

void TheSlotIsIgnoredWhereAllSlotsAreOne(Rig& rig) {
  if (!rig.engine().capabilities().atomic_across_slots) return;
  rig.Put({.role = Role::kRows, .slot = kSlotCount - 1}, "key", "value");
  EXPECT_EQ(rig.Get({.role = Role::kRows, .slot = 0}, "key"), "value");
  EXPECT_EQ(rig.Get({.role = Role::kRows, .slot = 7}, "key"), "value");
}

void PinnedBytesOutliveOverwriteAndDelete(Rig& rig) {
  const std::string first(5000, '1');
  rig.Put(kRows, "key", first);
  PinnedBytes pinned;
  ASSERT_TRUE(rig.engine().Get(kRows, "key", pinned).ok());
  rig.Put(kRows, "key", std::string(5000, '2'));
  EXPECT_EQ(pinned.view(), first);
  rig.Delete(kRows, "key");
  for (std::size_t i = 0; i < 100; ++i) rig.Put(kRows, NumberedKey(i), std::string(2000, '3'));
  EXPECT_EQ(pinned.view(), first);
}

void PinnedBytesOutliveCompaction(Rig& rig) {
  for (std::size_t i = 0; i < 100; ++i) rig.Put(kRows, NumberedKey(i), std::string(2000, 'a'));
  PinnedBytes fresh;
  ASSERT_TRUE(rig.engine().Get(kRows, NumberedKey(99), fresh).ok());
  rig.Compact(Role::kRows);
  PinnedBytes compacted;
  ASSERT_TRUE(rig.engine().Get(kRows, NumberedKey(50), compacted).ok());
  rig.DeleteRange(kRows, NumberedKey(0), NumberedKey(100));
  rig.Compact(Role::kRows);
  for (std::size_t i = 0; i < 100; ++i) rig.Put(kRows, NumberedKey(i), std::string(2000, 'b'));
  rig.Compact(Role::kRows);
  EXPECT_EQ(fresh.view(), std::string(2000, 'a'));
  EXPECT_EQ(compacted.view(), std::string(2000, 'a'));
}

void PinnedBytesOutliveClose(Rig& rig) {
  rig.Put(kRows, "fresh", std::string(3000, 'f'));
  rig.Put(kMembers, "compacted", std::string(3000, 'c'));
  rig.Compact(Role::kMembers);
  PinnedBytes fresh;
  PinnedBytes compacted;
  ASSERT_TRUE(rig.engine().Get(kRows, "fresh", fresh).ok());
  ASSERT_TRUE(rig.engine().Get(kMembers, "compacted", compacted).ok());
  ASSERT_TRUE(rig.engine().Close().ok());
  EXPECT_EQ(fresh.view(), std::string(3000, 'f'));
  EXPECT_EQ(compacted.view(), std::string(3000, 'c'));
}

void OnePinnedBytesServesReadAfterRead(Rig& rig) {
  for (std::size_t i = 0; i < 100; ++i) rig.Put(kRows, NumberedKey(i), std::string(i, 'x'));
  rig.Compact(Role::kRows);
  for (std::size_t i = 100; i < 200; ++i) rig.Put(kRows, NumberedKey(i), std::string(i, 'y'));
  PinnedBytes value;
  for (std::size_t i = 0; i < 200; ++i) {
    ASSERT_TRUE(rig.engine().Get(kRows, NumberedKey(i), value).ok());
    EXPECT_EQ(value.view(), std::string(i, i < 100 ? 'x' : 'y'));
    EXPECT_TRUE(rig.engine().Get(kRows, "missing", value).IsNotFound());
    EXPECT_TRUE(value.view().empty());
  }
}

// More keys than an engine fetches in one step; absent, bad and closed ones among them.
void APrefetchChangesNothing(Rig& rig) {
  rig.Put(kRows, "key", "value");
  std::vector<std::string> names = {"key", "", "absent", std::string(kKeyBytesMax + 1, 'x')};
  for (int i = 0; i < 100; ++i) names.push_back("key" + std::to_string(i));
  const std::vector<Bytes> keys(names.begin(), names.end());
  for (const Address at : kAllRoles) rig.engine().Prefetch(at, keys);
  rig.engine().Prefetch(kRows, {});
  EXPECT_EQ(rig.Get(kRows, "key"), "value");
  EXPECT_EQ(rig.Scan(kRows).size(), 1u);
  ASSERT_TRUE(rig.engine().Close().ok());
  rig.engine().Prefetch(kRows, keys);
}

}  // namespace

Cases ReadCases() {
  return {
      MAYFLY_CASE(GetReturnsWhatWasPut),
      MAYFLY_CASE(GetOfAMissingKeyIsNotFoundAndEmptiesTheValue),
      MAYFLY_CASE(GetOnAnEmptyEngineIsNotFound),
      MAYFLY_CASE(GetAfterOverwriteReturnsTheNewValue),
      MAYFLY_CASE(GetAfterDeleteIsNotFound),
      MAYFLY_CASE(DeleteOfAMissingKeyIsOk),
      MAYFLY_CASE(AnEmptyValueIsNotAnAbsentOne),
      MAYFLY_CASE(ValuesMayHoldAnyBytes),
      MAYFLY_CASE(KeysMayHoldAnyBytesAndAreOrderedAsUnsigned),
      MAYFLY_CASE(KeysThatBeginAlikeAreDifferentKeys),
      MAYFLY_CASE(TheLongestKeyIsTaken),
      MAYFLY_CASE(ValuesOfAMebibyteComeBackWhole),
      MAYFLY_CASE(RolesAreMapsOfTheirOwn),
      MAYFLY_CASE(TheSlotIsIgnoredWhereAllSlotsAreOne),
      MAYFLY_CASE(PinnedBytesOutliveOverwriteAndDelete),
      MAYFLY_CASE(PinnedBytesOutliveCompaction),
      MAYFLY_CASE(PinnedBytesOutliveClose),
      MAYFLY_CASE(OnePinnedBytesServesReadAfterRead),
      MAYFLY_CASE(APrefetchChangesNothing),
  };
}

}  // namespace mayfly::engine::suite
