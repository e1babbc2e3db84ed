// Goal: sizes and depths are DynamoDB's. Method: values of each type with sizes worked out by hand.
#include "items/item_size.h"

#include <gtest/gtest.h>

#include <string>

namespace mayfly::items {
namespace {

std::size_t SizeOfNumber(const char* text) { return SizeOf(AttributeValue(*Number::Parse(text))); }

TEST(ItemSize, CountsBytesOfEachType) {
  EXPECT_EQ(SizeOf(AttributeValue("")), 0u);
  EXPECT_EQ(SizeOf(AttributeValue("h\xc3\xa9")), 3u);
  EXPECT_EQ(SizeOf(AttributeValue(Binary{"abc"})), 3u);
  EXPECT_EQ(SizeOf(AttributeValue(true)), 1u);
  EXPECT_EQ(SizeOf(AttributeValue(Null())), 1u);
  EXPECT_EQ(SizeOf(AttributeValue(AttributeValue::StringSet{"a", "bc"})), 3u);
  EXPECT_EQ(SizeOf(AttributeValue(AttributeValue::BinarySet{Binary{"a"}, Binary{"bc"}})), 3u);
  EXPECT_EQ(SizeOf(AttributeValue(AttributeValue::NumberSet{Number(1), Number(12)})), 4u);
  EXPECT_EQ(SizeOf(AttributeValue(AttributeValue::List{})), 3u);
  EXPECT_EQ(SizeOf(AttributeValue(AttributeValue::List{"ab", Null()})), 3u + 2 + 2 + 1);
  EXPECT_EQ(SizeOf(AttributeValue(Item{{"key", "ab"}})), 3u + 1 + 3 + 2);
}

TEST(ItemSize, CountsTwoDigitsOfANumberAByte) {
  EXPECT_EQ(SizeOfNumber("0"), 1u);
  EXPECT_EQ(SizeOfNumber("5"), 2u);
  EXPECT_EQ(SizeOfNumber("-5"), 3u);
  EXPECT_EQ(SizeOfNumber("42"), 2u);
  EXPECT_EQ(SizeOfNumber("123"), 3u);
  EXPECT_EQ(SizeOfNumber("4200"), 2u);
  EXPECT_EQ(SizeOfNumber("4.2"), 3u);  // Each digit on its side of the point.
  EXPECT_EQ(SizeOfNumber("0.42"), 2u);
  EXPECT_EQ(SizeOfNumber("0.042"), 3u);
  EXPECT_EQ(SizeOfNumber("12345678901234567890123456789012345678"), 20u);
  EXPECT_EQ(SizeOfNumber("-1234567890123456789012345678901234567.8"), 21u);
}

TEST(ItemSize, CountsNamesAndValuesOfAnItem) {
  EXPECT_EQ(SizeOf(Item{}), 0u);
  EXPECT_EQ(SizeOf(Item{{"id", "7"}, {"n", Number(5)}}), 2u + 1 + 1 + 2);
}

TEST(ItemDepth, CountsLevels) {
  EXPECT_EQ(DepthOf("a"), 0u);
  EXPECT_EQ(DepthOf(AttributeValue::StringSet{"a"}), 0u);
  EXPECT_EQ(DepthOf(AttributeValue::List{}), 1u);
  EXPECT_EQ(DepthOf(Item{{"a", Null()}}), 1u);
  EXPECT_EQ(DepthOf(AttributeValue::List{"a", Item{{"b", AttributeValue::List{}}}, "c"}), 3u);
}

}  // namespace
}  // namespace mayfly::items
