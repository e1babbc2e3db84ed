// Goal: a key's slot is the one a Redis Cluster client computes, and roles keep their stored names.
// Method: slots the cluster specification and its clients publish, and keys with odd braces.
#include "engine/address.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/checksum.h"
#include "base/random.h"

namespace mayfly::engine {
namespace {

TEST(SlotOf, IsCrc16ModuloTheNumberOfSlots) {
  EXPECT_EQ(SlotOf("123456789"), 0x31C3);  // Below 16384, so the modulo shows the CRC itself.
  EXPECT_EQ(SlotOf("foo"), 12182);
  EXPECT_EQ(SlotOf("bar"), 5061);
  EXPECT_EQ(SlotOf("hello"), 866);
  EXPECT_EQ(SlotOf(""), 0);
}

TEST(SlotOf, LooksOnlyAtTheHashTag) {
  EXPECT_EQ(SlotOf("{user1000}.following"), SlotOf("{user1000}.followers"));
  EXPECT_EQ(SlotOf("{user1000}.following"), SlotOf("user1000"));
  EXPECT_EQ(SlotOf("user1000"), 3443);
  EXPECT_EQ(SlotOf("before{user1000}"), 3443);
}

TEST(SlotOf, TakesTheWholeKeyWhenTheTagIsEmpty) {
  EXPECT_EQ(SlotOf("foo{}{bar}"), Crc16("foo{}{bar}") % kSlotCount);
  EXPECT_EQ(SlotOf("{}"), Crc16("{}") % kSlotCount);
  EXPECT_EQ(SlotOf("{}abc"), Crc16("{}abc") % kSlotCount);
}

TEST(SlotOf, EndsTheTagAtTheFirstClosingBrace) {
  EXPECT_EQ(SlotOf("foo{{bar}}zap"), SlotOf("{bar"));
  EXPECT_EQ(SlotOf("foo{{bar}}zap"), Crc16("{bar") % kSlotCount);
  EXPECT_EQ(SlotOf("foo{bar}{zap}"), SlotOf("bar"));
}

TEST(SlotOf, TakesTheWholeKeyWhenBracesAreUnbalanced) {
  for (const Bytes key : {"{abc", "abc{", "abc}", "}abc{", "}{abc", "{", "}"}) {
    EXPECT_EQ(SlotOf(key), Crc16(key) % kSlotCount) << key;
  }
  EXPECT_EQ(SlotOf("}x{tag}"), SlotOf("tag")) << "a brace closed before it was opened is a byte";
}

TEST(SlotOf, TakesAnyBytes) {
  EXPECT_EQ(SlotOf(Bytes("a{\0}b", 5)), Crc16(Bytes("\0", 1)) % kSlotCount);
  EXPECT_EQ(SlotOf("{\xff\xfe}x"), Crc16("\xff\xfe") % kSlotCount);
}

TEST(SlotOf, SpreadsKeysOverAllSlots) {
  Random random(1);
  std::set<Slot> seen;
  for (int i = 0; i < 200'000; ++i) {
    const Slot slot = SlotOf(random.Bytes(16));
    ASSERT_LT(slot, kSlotCount);
    seen.insert(slot);
  }
  EXPECT_EQ(seen.size(), kSlotCount);
}

TEST(Role, KeepsItsStoredNumberAndName) {
  const std::string_view names[] = {"rows", "members", "expiry", "events", "meta"};
  static_assert(std::size(names) == kRoleCount);
  EXPECT_EQ(static_cast<int>(Role::kRows), 0);
  EXPECT_EQ(static_cast<int>(Role::kMembers), 1);
  EXPECT_EQ(static_cast<int>(Role::kExpiry), 2);
  EXPECT_EQ(static_cast<int>(Role::kEvents), 3);
  EXPECT_EQ(static_cast<int>(Role::kMeta), 4);
  for (std::size_t i = 0; i < kRoleCount; ++i) EXPECT_EQ(RoleName(static_cast<Role>(i)), names[i]);
  EXPECT_EQ(RoleName(static_cast<Role>(kRoleCount)), "unknown");
}

TEST(Address, IsTheFirstSlotOfRowsUnlessToldOtherwise) {
  EXPECT_EQ(Address{}.role, Role::kRows);
  EXPECT_EQ(Address{}.slot, 0);
}

}  // namespace
}  // namespace mayfly::engine
