// Goal: hashes have the right bytes, size and state, and fields that die.
// Method: single calls on plain maps, with a clock that is moved by hand.
#include "types/hash.h"

#include "types/member_key.h"
#include "types/plain_home.h"

namespace mayfly::types {
namespace {

constexpr Millis kTtl(100);

std::string ValueOf(const Hash& hash, Bytes field) {
  core::FoundMember found;
  EXPECT_TRUE(hash.Find(field, found).ok());
  return found.exists ? std::string(found.value) : "(none)";
}

TEST(Hash, IsStoredAsTheFormatSays) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    Hash hash = Hash::Open(space, "key").value();
    EXPECT_TRUE(hash.empty());
    EXPECT_TRUE(hash.Put("field", "value").value());
    EXPECT_TRUE(hash.is_new());
  });
  const core::PlainRow& row = home.rows().at("key");
  EXPECT_EQ(row.value, "h");
  ASSERT_EQ(row.members.size(), 1u);
  EXPECT_EQ(row.members.begin()->first, Bytes(MemberKey("field")));
  EXPECT_EQ(row.members.begin()->second.value, "value");
}

TEST(Hash, TellsNewFieldsFromKnownOnes) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    Hash hash = Hash::Open(space, "key").value();
    EXPECT_TRUE(hash.Put("a", "1").value());
    EXPECT_FALSE(hash.Put("a", "2").value());
    EXPECT_TRUE(hash.Put("", "empty").value());
    EXPECT_EQ(hash.size(), 2u);
    EXPECT_EQ(ValueOf(hash, "a"), "2");
    EXPECT_EQ(ValueOf(hash, ""), "empty");
    EXPECT_EQ(ValueOf(hash, "b"), "(none)");
  });
  home.Run([](core::TransactionKeyspace& space) {
    Hash hash = Hash::Open(space, "key").value();
    EXPECT_EQ(hash.size(), 2u);
    EXPECT_FALSE(hash.is_new());
  });
}

TEST(Hash, GoesWithItsLastFieldAndComesBackWithTheNext) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    Hash hash = Hash::Open(space, "key").value();
    ASSERT_TRUE(hash.Put("a", "1").has_value());
    EXPECT_FALSE(hash.Remove("b").value());
    EXPECT_TRUE(hash.Remove("a").value());
    EXPECT_TRUE(hash.empty());
    EXPECT_FALSE(hash.Remove("a").value());
    EXPECT_EQ(hash.NewCursor().value(), nullptr);
    ASSERT_TRUE(hash.Put("c", "3").has_value());
    EXPECT_EQ(hash.size(), 1u);
    EXPECT_TRUE(hash.Remove("c").value());
  });
  EXPECT_TRUE(home.rows().empty());
}

TEST(Hash, FieldsDieAtTheirDeadlineAndNotBefore) {
  PlainHome home;
  home.Run([&](core::TransactionKeyspace& space) {
    Hash hash = Hash::Open(space, "key").value();
    const auto lifetime = core::MemberLifetime::Until(home.clock().Now() + kTtl);
    ASSERT_TRUE(hash.Put("mortal", "1", lifetime).has_value());
    ASSERT_TRUE(hash.Put("immortal", "2").has_value());
  });
  const auto look = [&](std::uint64_t size, const std::string& value) {
    home.Run([&](core::TransactionKeyspace& space) {
      const Hash hash = Hash::Open(space, "key").value();
      EXPECT_EQ(hash.size(), size);
      EXPECT_EQ(ValueOf(hash, "mortal"), value);
    });
  };
  home.clock().Advance(kTtl - Millis(1));
  look(2, "1");
  home.clock().Advance(Millis(1));
  look(1, "(none)");
  home.clock().Advance(Millis(1));
  look(1, "(none)");
}

TEST(Hash, IsEmptyWhenItsLastFieldHasDied) {
  PlainHome home;
  home.Run([&](core::TransactionKeyspace& space) {
    Hash hash = Hash::Open(space, "key").value();
    const auto lifetime = core::MemberLifetime::Until(home.clock().Now() + kTtl);
    ASSERT_TRUE(hash.Put("mortal", "1", lifetime).has_value());
  });
  home.clock().Advance(kTtl);
  home.Run([](core::TransactionKeyspace& space) {
    Hash hash = Hash::Open(space, "key").value();
    EXPECT_TRUE(hash.empty());
    EXPECT_TRUE(hash.Put("other", "2").value());
    EXPECT_TRUE(hash.is_new());
    EXPECT_EQ(ValueOf(hash, "mortal"), "(none)");
  });
}

TEST(Hash, RefusesOtherTypes) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    ASSERT_TRUE(space.Put("text", "value", Lifetime::Forever()).ok());
    EXPECT_EQ(Hash::Open(space, "text").error().code(), StatusCode::kWrongType);
    ASSERT_TRUE(space.MakeCollection("set", "s").ok());
    ASSERT_TRUE(space.PutMember("set", "m", "").has_value());
    EXPECT_EQ(Hash::Open(space, "set").error().code(), StatusCode::kWrongType);
    ASSERT_TRUE(space.MakeCollection("odd", "?").ok());
    ASSERT_TRUE(space.PutMember("odd", "m", "").has_value());
    EXPECT_EQ(Hash::Open(space, "odd").error().code(), StatusCode::kCorruption);
  });
}

}  // namespace
}  // namespace mayfly::types
