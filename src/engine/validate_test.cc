// Goal: every engine refuses the same calls, at exactly the limits; messages say what to do.
// Method: each check on the last good value, the first bad one, and beyond.
#include "engine/validate.h"

#include <gtest/gtest.h>

#include <string>

namespace mayfly::engine {
namespace {

void ExpectInvalid(const Status& status, Bytes words) {
  EXPECT_EQ(status.code(), StatusCode::kInvalid);
  EXPECT_NE(status.message().find(words), Bytes::npos) << status.ToString();
}

// A view of so many bytes that are never read.
Bytes OfSize(std::size_t size) {
  static constexpr char kByte = 'x';
  return Bytes(&kByte, size);
}

TEST(CheckAddress, TakesEveryRoleAndSlot) {
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    EXPECT_TRUE(CheckAddress({.role = static_cast<Role>(role)}).ok());
    EXPECT_TRUE(CheckAddress({.role = static_cast<Role>(role), .slot = kSlotCount - 1}).ok());
  }
}

TEST(CheckAddress, RefusesUnknownRolesAndSlots) {
  ExpectInvalid(CheckAddress({.role = static_cast<Role>(kRoleCount)}), "unknown role 5");
  ExpectInvalid(CheckAddress({.role = static_cast<Role>(255)}), "unknown role 255");
  ExpectInvalid(CheckAddress({.slot = kSlotCount}), "slot 16384");
  ExpectInvalid(CheckAddress({.slot = 65535}), "slot 65535");
}

TEST(CheckKey, TakesOneByteUpToTheLimit) {
  ExpectInvalid(CheckKey(""), "empty key");
  EXPECT_TRUE(CheckKey(OfSize(1)).ok());
  EXPECT_TRUE(CheckKey(OfSize(kKeyBytesMax)).ok());
  ExpectInvalid(CheckKey(OfSize(kKeyBytesMax + 1)), "key of 196609 bytes is too long");
}

TEST(CheckValue, TakesNothingUpToTheLimit) {
  EXPECT_TRUE(CheckValue("").ok());
  EXPECT_TRUE(CheckValue(OfSize(kValueBytesMax)).ok());
  ExpectInvalid(CheckValue(OfSize(kValueBytesMax + 1)), "value of 536870913 bytes is too large");
}

TEST(CheckOrder, RefusesAnEndBeforeItsBegin) {
  EXPECT_TRUE(CheckOrder("a", "b").ok());
  EXPECT_TRUE(CheckOrder("a", "a").ok());
  EXPECT_TRUE(CheckOrder("a", "ab").ok());
  EXPECT_TRUE(CheckOrder("\x7f", "\x80").ok()) << "bytes are unsigned";
  ExpectInvalid(CheckOrder("b", "a"), "reversed");
  ExpectInvalid(CheckOrder("ab", "a"), "reversed");
}

TEST(CheckRange, TakesMissingBounds) {
  EXPECT_TRUE(CheckRange({}).ok());
  EXPECT_TRUE(CheckRange({.begin = "a"}).ok());
  EXPECT_TRUE(CheckRange({.end = "a"}).ok());
  EXPECT_TRUE(CheckRange({.begin = "a", .end = "a"}).ok());
  EXPECT_TRUE(CheckRange({.begin = "a", .end = "b"}).ok());
}

TEST(CheckRange, RefusesReversedAndOverlongBounds) {
  const std::string longest(kKeyBytesMax, 'k');
  const std::string too_long = longest + "k";
  EXPECT_TRUE(CheckRange({.begin = longest, .end = longest}).ok());
  ExpectInvalid(CheckRange({.begin = "b", .end = "a"}), "reversed");
  ExpectInvalid(CheckRange({.begin = too_long}), "too long");
  ExpectInvalid(CheckRange({.end = too_long}), "too long");
}

}  // namespace
}  // namespace mayfly::engine
