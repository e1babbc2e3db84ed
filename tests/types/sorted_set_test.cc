// Goal: sorted sets have the right bytes and order, and report damage.
// Method: single calls on plain maps.
#include "types/sorted_set.h"

#include <limits>

#include "types/member_key.h"
#include "types/plain_home.h"
#include "types/score.h"

namespace mayfly::types {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string All(const SortedSet& sorted_set, const RangeQuery& query) {
  std::string text;
  EXPECT_TRUE(sorted_set.Walk(query, [&](Bytes name, double) { text.append(name); }).ok());
  return text;
}

constexpr RangeQuery kUp{.range = RankRange{0, -1}};
constexpr RangeQuery kDown{.range = RankRange{0, -1}, .reverse = true};

TEST(SortedSet, IsStoredAsTheFormatSays) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    SortedSet sorted_set = SortedSet::Open(space, "key").value();
    EXPECT_TRUE(sorted_set.Put("name", 1.5).value().added);
    EXPECT_TRUE(sorted_set.is_new());
  });
  const core::PlainRow& row = home.rows().at("key");
  EXPECT_EQ(row.value, "Z");
  ASSERT_EQ(row.members.size(), 1u);
  EXPECT_EQ(row.members.begin()->first, Bytes(MemberKey("name")));
  EXPECT_EQ(row.members.begin()->second.value, ScoreBytes(1.5));
  ASSERT_EQ(row.sides.size(), 1u);
  EXPECT_EQ(row.sides.begin()->first, std::string(1, 0) + ScoreBytes(1.5) + "name");
  EXPECT_EQ(row.sides.begin()->second.value, "");
}

TEST(SortedSet, OneOfAnOlderLayoutIsRefusedByName) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    ASSERT_TRUE(space.MakeCollection("key", "z").ok());
    ASSERT_TRUE(space.PutMember("key", MemberKey("name"), ScoreBytes(1.5)).value());
    const Status refused = SortedSet::Open(space, "key").error();
    EXPECT_EQ(refused.code(), StatusCode::kUnsupported);
    EXPECT_NE(refused.message().find("DUMP"), std::string::npos);
  });
}

TEST(SortedSet, AScoreThatChangesTakesItsPlaceWithIt) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    SortedSet sorted_set = SortedSet::Open(space, "key").value();
    ASSERT_TRUE(sorted_set.Put("a", 1).value().added);
    ASSERT_TRUE(sorted_set.Put("b", 2).value().added);
    const ScoreOutcome outcome = sorted_set.Put("a", 3).value();
    EXPECT_TRUE(outcome.changed);
    EXPECT_FALSE(outcome.added);
    EXPECT_EQ(outcome.score, 3);
    EXPECT_FALSE(sorted_set.Put("a", 3).value().changed);
    EXPECT_EQ(All(sorted_set, kUp), "ba");
    EXPECT_EQ(All(sorted_set, kDown), "ab");
  });
  EXPECT_EQ(home.rows().at("key").sides.size(), 2u);
}

TEST(SortedSet, OrdersByScoreAndThenByName) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    SortedSet sorted_set = SortedSet::Open(space, "key").value();
    for (const auto& [name, score] :
         {std::pair("p", kInfinity), std::pair("m", -kInfinity), std::pair("y", 0.0),
          std::pair("x", -0.0), std::pair("z", -1e-300)}) {
      ASSERT_TRUE(sorted_set.Put(name, score).value().added);
    }
    EXPECT_EQ(All(sorted_set, kUp), "mzxyp");
    EXPECT_EQ(All(sorted_set, kDown), "pyxzm");
    EXPECT_EQ(sorted_set.RankOf("m").value()->rank, 0u);
    EXPECT_EQ(sorted_set.RankOf("y").value()->rank, 3u);
    EXPECT_EQ(sorted_set.RankOf("p").value()->rank, 4u);
    EXPECT_FALSE(sorted_set.RankOf("q").value().has_value());
  });
}

TEST(SortedSet, ASumThatIsNoNumberIsRefused) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    SortedSet sorted_set = SortedSet::Open(space, "key").value();
    ASSERT_TRUE(sorted_set.Put("a", kInfinity).value().added);
    EXPECT_EQ(sorted_set.Put("a", -kInfinity, {.increment = true}).error().code(),
              StatusCode::kInvalid);
    EXPECT_EQ(sorted_set.Score("a").value(), kInfinity);
  });
}

TEST(SortedSet, WhatIsTakenIsGoneWithItsSides) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    SortedSet sorted_set = SortedSet::Open(space, "key").value();
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(sorted_set.Put(std::string(1, static_cast<char>('a' + i)), i).value().added);
    }
    const auto taken = sorted_set.Take({.range = ScoreRange{1, 2}}).value();
    ASSERT_EQ(taken.size(), 2u);
    EXPECT_EQ(taken[0].name, "b");
    EXPECT_EQ(taken[1].score, 2);
    EXPECT_TRUE(sorted_set.Remove("a").value());
    EXPECT_FALSE(sorted_set.Remove("a").value());
    EXPECT_EQ(sorted_set.size(), 2u);
  });
  EXPECT_EQ(home.rows().at("key").members.size(), 2u);
  EXPECT_EQ(home.rows().at("key").sides.size(), 2u);
  home.Run([](core::TransactionKeyspace& space) {
    SortedSet sorted_set = SortedSet::Open(space, "key").value();
    EXPECT_EQ(sorted_set.Take(kDown).value().size(), 2u);
    EXPECT_TRUE(sorted_set.empty());
    EXPECT_TRUE(sorted_set.Take(kDown).value().empty());
    ASSERT_TRUE(sorted_set.Put("new", 1).value().added);
  });
  EXPECT_EQ(home.rows().at("key").sides.size(), 1u);
}

TEST(SortedSet, DamagedScoresAndLostPlacesAreCorruption) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    SortedSet sorted_set = SortedSet::Open(space, "key").value();
    ASSERT_TRUE(sorted_set.Put("a", 1).value().added);
    ASSERT_TRUE(sorted_set.Put("b", 2).value().added);
  });
  core::PlainRow& row = home.rows().at("key");
  row.members.at(std::string(Bytes(MemberKey("a")))).value = "short";
  row.sides.erase(OrderRowKey(0, OrderItem(2, "b")));
  home.Run([](core::TransactionKeyspace& space) {
    const SortedSet sorted_set = SortedSet::Open(space, "key").value();
    EXPECT_EQ(sorted_set.Score("a").error().code(), StatusCode::kCorruption);
    EXPECT_EQ(sorted_set.RankOf("b").error().code(), StatusCode::kCorruption);
    Random random(1);
    EXPECT_EQ(sorted_set.DrawDistinct(2, random, [](Bytes, double) {}).code(),
              StatusCode::kCorruption);
  });
}

TEST(SortedSet, ReplacesWhateverTheKeyHeldDeadlineIncluded) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    ASSERT_TRUE(space.Put("key", "value", Lifetime::For(Millis(100))).ok());
    EXPECT_EQ(SortedSet::Open(space, "key").error().code(), StatusCode::kWrongType);
    const ScoredName all[] = {{"a", 2}, {"b", 1}};
    ASSERT_TRUE(SortedSet::Replace(space, "key", all).ok());
    EXPECT_EQ(All(SortedSet::Open(space, "key").value(), kUp), "ba");
  });
  EXPECT_EQ(home.rows().at("key").deadline, std::nullopt);
}

}  // namespace
}  // namespace mayfly::types
