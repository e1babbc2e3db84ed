// Member keys: names come back, hashes order them, and the order can be entered anywhere.
#include "types/member_key.h"

#include <gtest/gtest.h>

namespace mayfly::types {
namespace {

TEST(MemberKey, GivesNameAndHashBack) {
  const std::string names[] = {"", "a", std::string("\0\xff", 2), std::string(1000, 'x')};
  for (const std::string& name : names) {
    EXPECT_EQ(NameOfMember(MemberKey(name)), name);
    EXPECT_EQ(HashOfMember(MemberKey(name)), MemberHash(name));
  }
}

TEST(MemberKey, NeverChanges) { EXPECT_EQ(MemberHash("field"), 36001803238601u); }

TEST(MemberKey, ComesAtOrBehindTheBeginningOfItsHash) {
  const std::string key(Bytes(MemberKey("name")));
  EXPECT_LE(MemberKeysFrom(MemberHash("name")), key);
  EXPECT_GT(MemberKeysFrom(MemberHash("name") + 1), key);
  EXPECT_GT(MemberKeysFrom(kMemberHashMax), MemberKeysFrom(kMemberHashMax - 1) + "\xff\xff");
}

TEST(MemberKey, DamagedBytesHaveNoName) {
  EXPECT_EQ(NameOfMember("abc"), "");
  EXPECT_EQ(HashOfMember("abc"), 0u);
}

}  // namespace
}  // namespace mayfly::types
