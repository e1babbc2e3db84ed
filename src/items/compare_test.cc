// Goal: values are equal and ordered as in DynamoDB, and types have its names.
// Method: every type against every type, and pairs of one type.
#include "items/compare.h"

#include <gtest/gtest.h>

#include <vector>

namespace mayfly::items {
namespace {

const std::vector<AttributeValue>& OneOfEach() {
  static const std::vector<AttributeValue> values = {
      "text",
      Number(5),
      Binary{"text"},
      true,
      Null(),
      AttributeValue::List{"a", Number(1)},
      Item{{"a", Number(1)}},
      AttributeValue::StringSet{"a"},
      AttributeValue::NumberSet{Number(1)},
      AttributeValue::BinarySet{Binary{"a"}},
  };
  return values;
}

TEST(AttributeValue, KnowsItsType) {
  const char* names[] = {"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"};
  for (std::size_t i = 0; i < OneOfEach().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(OneOfEach()[i].type()), i);
    EXPECT_EQ(AttributeTypeName(OneOfEach()[i].type()), names[i]);
    EXPECT_EQ(OneOfEach()[i].is_null(), i == 4);
  }
}

TEST(AttributeValue, EqualsOnlyItsLike) {
  for (std::size_t i = 0; i < OneOfEach().size(); ++i) {
    for (std::size_t j = 0; j < OneOfEach().size(); ++j) {
      EXPECT_EQ(OneOfEach()[i] == OneOfEach()[j], i == j) << i << " " << j;
    }
  }
  EXPECT_EQ(AttributeValue(*Number::Parse("1.50")), AttributeValue(*Number::Parse("15e-1")));
  EXPECT_NE(AttributeValue("a"), AttributeValue("b"));
  EXPECT_NE(AttributeValue(true), AttributeValue(false));
  EXPECT_NE(AttributeValue(AttributeValue::List{"a", "b"}),
            AttributeValue(AttributeValue::List{"b", "a"}));
  EXPECT_EQ(AttributeValue(Item{{"a", Item{{"b", Null()}}}}),
            AttributeValue(Item{{"a", Item{{"b", Null()}}}}));
  EXPECT_NE(AttributeValue(Item{{"a", Item{{"b", Null()}}}}),
            AttributeValue(Item{{"a", Item{{"c", Null()}}}}));
}

TEST(Compare, OrdersStringsNumbersAndBinaries) {
  EXPECT_TRUE(Compare("a", "b") < 0);
  EXPECT_TRUE(Compare("a", "a") == 0);
  EXPECT_TRUE(Compare("b", "aa") > 0);
  EXPECT_TRUE(Compare("", "a") < 0);
  EXPECT_TRUE(Compare("\x7f", "\xc3\xa9") < 0);  // Bytes are unsigned.
  EXPECT_TRUE(Compare(Number(10), Number(9)) > 0);
  EXPECT_TRUE(Compare(Number(-10), Number(9)) < 0);
  EXPECT_TRUE(Compare(Binary{"\xff"}, Binary{"\x01"}) > 0);
}

TEST(Compare, KnowsNoOrderOfOtherTypesOrBetweenTypes) {
  for (std::size_t i = 0; i < OneOfEach().size(); ++i) {
    for (std::size_t j = 0; j < OneOfEach().size(); ++j) {
      const bool ordered = i == j && i < 3;
      EXPECT_EQ(Compare(OneOfEach()[i], OneOfEach()[j]) == std::partial_ordering::unordered,
                !ordered)
          << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace mayfly::items
