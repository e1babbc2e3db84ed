// Goal: no name of a hash is skipped when a page ends.
// Method: members planted under hashes of our choice, which names alone could hardly have.
#include "types/member_page.h"

#include "types/member_key.h"
#include "types/plain_home.h"

namespace mayfly::types {
namespace {

struct Page {
  std::string names;
  std::uint64_t next;
};

class MemberPage : public testing::Test {
 protected:
  void Plant(std::uint64_t hash, const std::string& name) {
    home_.Run([&](core::TransactionKeyspace& space) {
      if (!home_.rows().contains("key")) {
        ASSERT_TRUE(space.MakeCollection("key", "s").ok());
      }
      ASSERT_TRUE(space.PutMember("key", MemberKeysFrom(hash) + name, "value").value());
    });
  }

  Page Read(std::uint64_t cursor, std::uint64_t count) {
    Page page{};
    home_.Run([&](core::TransactionKeyspace& space) {
      page.next = WalkPage(space, "key", cursor, count, [&](Bytes name, Bytes value) {
                    page.names.append(name);
                    EXPECT_EQ(value, "value");
                  }).value();
    });
    return page;
  }

  PlainHome home_;
};

TEST_F(MemberPage, EndsBetweenDifferentHashesOnly) {
  Plant(5, "a");
  Plant(7, "b");
  Plant(7, "c");
  Plant(7, "d");
  Plant(9, "e");
  const Page first = Read(0, 2);
  EXPECT_EQ(first.names, "abcd");
  EXPECT_EQ(first.next, 7u);
  const Page second = Read(first.next, 2);
  EXPECT_EQ(second.names, "e");
  EXPECT_EQ(second.next, 0u);
}

TEST_F(MemberPage, IsTheLastOneWhenNothingIsLeft) {
  Plant(5, "a");
  Plant(7, "b");
  EXPECT_EQ(Read(0, 2).next, 0u);
  EXPECT_EQ(Read(0, 1).next, 5u);
  EXPECT_EQ(Read(7, 1).names, "");
  EXPECT_EQ(Read(kMemberHashMax - 1, 1).next, 0u);
  EXPECT_EQ(Read(~std::uint64_t{0}, 1).names, "");
}

TEST_F(MemberPage, ShowsTheFirstAndTheLastHashThereCanBe) {
  Plant(1, "a");
  Plant(kMemberHashMax - 1, "z");
  EXPECT_EQ(Read(0, 10).names, "az");
  EXPECT_EQ(Read(1, 10).names, "z");
}

}  // namespace
}  // namespace mayfly::types
