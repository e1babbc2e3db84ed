// Goal: keys of items are checked in DynamoDB's words, and the ttl attribute is read as an instant.
// Method: tables made by hand, no database.
#include <gtest/gtest.h>

#include "items/item_key.h"
#include "tables/schema/table.h"
#include "tables/tables_home.h"

namespace mayfly::tables {
namespace {

Table PostsByUser(TtlMode mode = TtlMode::kExact) {
  Table table;
  table.spec = PostsSpec(mode);
  return table;
}

TEST(ItemKeys, AreThoseOfPartitionAndSort) {
  const AttributeValue user = "alice";
  const AttributeValue at = N(7);
  EXPECT_EQ(KeyOf(PostsByUser(), {{"user", user}, {"nr", at}}).value(), items::ItemKey(user, &at));
  EXPECT_EQ(KeyOfItem(PostsByUser(), {{"user", user}, {"nr", at}, {"title", "x"}}).value(),
            items::ItemKey(user, &at));
}

TEST(ItemKeys, OfARequestMustBeTheSchemas) {
  const std::string text = "The provided key element does not match the schema";
  EXPECT_EQ(MessageOf(KeyOf(PostsByUser(), {})), text);
  EXPECT_EQ(MessageOf(KeyOf(PostsByUser(), {{"user", "a"}})), text);
  EXPECT_EQ(MessageOf(KeyOf(PostsByUser(), {{"user", "a"}, {"when", N(1)}})), text);
  EXPECT_EQ(MessageOf(KeyOf(PostsByUser(), {{"user", "a"}, {"nr", "1"}})), text);
  EXPECT_EQ(MessageOf(KeyOf(PostsByUser(), {{"user", "a"}, {"nr", N(1)}, {"title", "x"}})), text);
}

TEST(ItemKeys, OfAnItemMustBeThereAndOfTheirType) {
  EXPECT_EQ(MessageOf(KeyOfItem(PostsByUser(), {{"nr", N(1)}})),
            "One or more parameter values were invalid: Missing the key user in the item");
  EXPECT_EQ(MessageOf(KeyOfItem(PostsByUser(), {{"user", "a"}})),
            "One or more parameter values were invalid: Missing the key nr in the item");
  EXPECT_EQ(MessageOf(KeyOfItem(PostsByUser(), {{"user", N(1)}, {"nr", N(1)}})),
            "One or more parameter values were invalid: Type mismatch for key user expected: S "
            "actual: N");
}

TEST(ItemKeys, MustNotBeEmptyOrTooLarge) {
  const std::string empty =
      "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
      "contain an empty string value. Key: user";
  EXPECT_EQ(MessageOf(KeyOf(PostsByUser(), {{"user", ""}, {"nr", N(1)}})), empty);
  EXPECT_EQ(MessageOf(KeyOfItem(PostsByUser(), {{"user", ""}, {"nr", N(1)}})), empty);
  const Item fits = {{"user", std::string(2048, 'a')}, {"nr", N(1)}};
  const Item large = {{"user", std::string(2049, 'a')}, {"nr", N(1)}};
  EXPECT_TRUE(KeyOf(PostsByUser(), fits).has_value());
  EXPECT_EQ(MessageOf(KeyOf(PostsByUser(), large)),
            "One or more parameter values were invalid: Size of hashkey has exceeded the maximum "
            "size limit of2048 bytes");
  Table table = PostsByUser();
  table.spec.sort->type = KeyType::kBinary;
  EXPECT_TRUE(KeyOf(table, {{"user", "a"}, {"nr", Binary{std::string(1024, 'a')}}}).has_value());
  EXPECT_EQ(MessageOf(KeyOf(table, {{"user", "a"}, {"nr", Binary{std::string(1025, 'a')}}})),
            "One or more parameter values were invalid: Aggregated size of all range keys has "
            "exceeded the size limit of 1024 bytes");
}

TEST(ItemKeys, AttributesOfThemAreTheTablesAndTheIndex) {
  Table table = PostsByUser();
  table.indexes.push_back({.spec = table.spec.global_indexes[0], .rows = nullptr});
  // clang-format off
  const Item item = {
      {"user",  "a"},
      {"nr",    N(1)},
      {"topic", "t"},
      {"score", N(2)},
      {"x",     N(3)}
  };
  // clang-format on
  EXPECT_EQ(KeyAttributesOf(table, nullptr, item), (Item{{"user", "a"}, {"nr", N(1)}}));
  EXPECT_EQ(KeyAttributesOf(table, table.FindIndex("by_topic"), item),
            (Item{{"user", "a"}, {"nr", N(1)}, {"topic", "t"}, {"score", N(2)}}));
  EXPECT_EQ(table.FindIndex("by_nothing"), nullptr);
}

std::optional<std::int64_t> DeadlineMs(const AttributeValue& value,
                                       TtlMode mode = TtlMode::kExact) {
  const auto deadline = DeadlineOf(PostsByUser(mode), {{"expires", value}}, kStart);
  return deadline ? std::optional(ToMs(*deadline)) : std::nullopt;
}

TEST(Deadlines, AreSecondsSinceTheEpoch) {
  EXPECT_EQ(DeadlineMs(N(1'700'000'000)), 1'700'000'000'000);
  EXPECT_EQ(DeadlineMs(Decimal("1700000000.25")), 1'700'000'000'250);
  EXPECT_EQ(DeadlineMs(Decimal("1700000000.001")), 1'700'000'000'001);
}

TEST(Deadlines, BetweenTwoMillisecondsAreTheLaterOne) {
  EXPECT_EQ(DeadlineMs(Decimal("1700000000.0001")), 1'700'000'000'001);
  EXPECT_EQ(DeadlineMs(Decimal("1700000000.9999")), 1'700'000'001'000);
}

TEST(Deadlines, AreNoneForZeroOtherTypesAndTheEndOfTime) {
  EXPECT_EQ(DeadlineMs(N(0)), std::nullopt);
  EXPECT_EQ(DeadlineMs("1700000000"), std::nullopt);
  EXPECT_EQ(DeadlineMs(Null()), std::nullopt);
  EXPECT_EQ(DeadlineMs(N(100'000'000'000)), 100'000'000'000'000);
  EXPECT_EQ(DeadlineMs(N(100'000'000'001)), std::nullopt);
  EXPECT_EQ(DeadlineMs(N(1'700'000'000'000)), std::nullopt) << "milliseconds, given as seconds";
  EXPECT_EQ(DeadlineMs(Decimal("1E+100")), std::nullopt);
  EXPECT_EQ(DeadlineOf(PostsByUser(), {{"user", "a"}}, kStart), std::nullopt);
  Table table = PostsByUser();
  table.spec.ttl_attribute.clear();
  EXPECT_EQ(DeadlineOf(table, {{"expires", N(1'700'000'000)}}, kStart), std::nullopt);
}

// Core takes no instant before 1973; an earlier one is clamped, and has passed just as well.
TEST(Deadlines, OfLongAgoAreThePast) {
  EXPECT_EQ(DeadlineMs(N(1)), 100'000'000'000);
  EXPECT_EQ(DeadlineMs(N(-5)), 100'000'000'000);
  EXPECT_EQ(DeadlineMs(Decimal("1E-130")), 100'000'000'000);
}

TEST(Deadlines, MoreThanFiveYearsPastDoNotCountUntilSwept) {
  const std::int64_t now = ToMs(kStart) / 1000;
  const std::int64_t five_years = std::chrono::seconds(std::chrono::years(5)).count();
  EXPECT_EQ(DeadlineMs(N(now - five_years), TtlMode::kUntilSwept), (now - five_years) * 1000);
  EXPECT_EQ(DeadlineMs(N(now - five_years - 1), TtlMode::kUntilSwept), std::nullopt);
  EXPECT_EQ(DeadlineMs(N(1), TtlMode::kUntilSwept), std::nullopt);
  EXPECT_EQ(DeadlineMs(N(now - five_years - 1)), (now - five_years - 1) * 1000);
}

}  // namespace
}  // namespace mayfly::tables
