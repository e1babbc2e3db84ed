// Goal: sets have the right bytes, size and state.
// Method: single calls on plain maps.
#include "types/set.h"

#include "types/member_key.h"
#include "types/plain_home.h"

namespace mayfly::types {
namespace {

TEST(Set, IsStoredAsTheFormatSays) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    Set set = Set::Open(space, "key").value();
    EXPECT_TRUE(set.empty());
    EXPECT_TRUE(set.Add("name").value());
    EXPECT_TRUE(set.is_new());
  });
  const core::PlainRow& row = home.rows().at("key");
  EXPECT_EQ(row.value, "s");
  EXPECT_TRUE(row.sides.empty());
  ASSERT_EQ(row.members.size(), 1u);
  EXPECT_EQ(row.members.begin()->first, Bytes(MemberKey("name")));
  EXPECT_EQ(row.members.begin()->second.value, "");
}

TEST(Set, TellsNewNamesFromKnownOnes) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    Set set = Set::Open(space, "key").value();
    EXPECT_TRUE(set.Add("a").value());
    EXPECT_FALSE(set.Add("a").value());
    EXPECT_TRUE(set.Add("").value());
    EXPECT_EQ(set.size(), 2u);
    EXPECT_TRUE(set.Contains("").value());
    EXPECT_FALSE(set.Contains("b").value());
  });
  home.Run([](core::TransactionKeyspace& space) {
    const Set set = Set::Open(space, "key").value();
    EXPECT_EQ(set.size(), 2u);
    EXPECT_FALSE(set.is_new());
  });
}

TEST(Set, GoesWithItsLastNameAndCanComeBackInTheSameWork) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    Set set = Set::Open(space, "key").value();
    EXPECT_TRUE(set.Add("a").value());
    EXPECT_TRUE(set.Remove("a").value());
    EXPECT_FALSE(set.Remove("a").value());
    EXPECT_TRUE(set.empty());
    EXPECT_TRUE(set.Add("b").value());
  });
  EXPECT_EQ(home.rows().at("key").members.size(), 1u);
  home.Run([](core::TransactionKeyspace& space) {
    Set set = Set::Open(space, "key").value();
    EXPECT_TRUE(set.Clear().ok());
    EXPECT_TRUE(set.empty());
  });
  EXPECT_FALSE(home.rows().contains("key"));
}

TEST(Set, ReplacesWhateverTheKeyHeldDeadlineIncluded) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    ASSERT_TRUE(space.Put("key", "value", Lifetime::For(Millis(100))).ok());
    EXPECT_EQ(Set::Open(space, "key").error().code(), StatusCode::kWrongType);
    const std::string names[] = {"a", "b"};
    ASSERT_TRUE(Set::Replace(space, "key", names).ok());
    EXPECT_EQ(Set::Open(space, "key").value().size(), 2u);
  });
  EXPECT_EQ(home.rows().at("key").deadline, std::nullopt);
}

TEST(Set, IsEmptyFromItsDeadlineOn) {
  PlainHome home;
  const auto size = [&] {
    std::uint64_t names = 0;
    home.Run(
        [&](core::TransactionKeyspace& space) { names = Set::Open(space, "key").value().size(); });
    return names;
  };
  home.Run([](core::TransactionKeyspace& space) {
    ASSERT_TRUE(Set::Open(space, "key").value().Add("a").value());
    ASSERT_TRUE(space.Expire("key", Lifetime::For(Millis(100))).value());
  });
  home.clock().Advance(Millis(99));
  EXPECT_EQ(size(), 1u);
  home.clock().Advance(Millis(1));
  EXPECT_EQ(size(), 0u);
  home.clock().Advance(Millis(1));
  EXPECT_EQ(size(), 0u);
}

}  // namespace
}  // namespace mayfly::types
