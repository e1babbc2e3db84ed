// Long doubles: what is read, what is refused, and the one text each has.
// Method: tables; the texts are those Redis 7.0 answers with.
#include "server/command/long_double.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mayfly::server {
namespace {

std::string Rewritten(Bytes text) {
  long double value = 0;
  return ReadLongDouble(text, value) ? WriteLongDouble(value) : "refused";
}

TEST(LongDouble, IsWrittenWithoutExponentAndWithoutZerosAtTheEnd) {
  EXPECT_EQ(Rewritten("3.0"), "3");
  EXPECT_EQ(Rewritten("0.1"), "0.1");
  EXPECT_EQ(Rewritten("5.0e3"), "5000");
  EXPECT_EQ(Rewritten("-12.50"), "-12.5");
  EXPECT_EQ(Rewritten("100"), "100");
  EXPECT_EQ(Rewritten("1e-20"), "0");
  EXPECT_EQ(Rewritten("-0.0"), "0");
  EXPECT_EQ(Rewritten("0x10"), "16");
  EXPECT_EQ(Rewritten("1e20"), "100000000000000000000");
}

TEST(LongDouble, SumsOfDecimalFractionsComeOutAsWritten) {
  long double tenth = 0;
  long double fifth = 0;
  ASSERT_TRUE(ReadLongDouble("0.1", tenth));
  ASSERT_TRUE(ReadLongDouble("0.2", fifth));
  EXPECT_EQ(WriteLongDouble(tenth + fifth), "0.3");
}

TEST(LongDouble, TheLargestIsReadBack) {
  const std::string text = Rewritten("1e4932");
  EXPECT_EQ(text.size(), 4933u);
  EXPECT_EQ(Rewritten(text), text);
}

TEST(LongDouble, InfinityIsReadForTheCallerToJudge) {
  long double value = 0;
  ASSERT_TRUE(ReadLongDouble("-inf", value));
  EXPECT_TRUE(std::isinf(value) && value < 0);
}

TEST(LongDouble, WhatIsNoNumberIsRefusedAndLeavesTheValueAlone) {
  const std::string with_zero("1\0", 2);
  for (const Bytes text : {Bytes(""), Bytes(" 1"), Bytes("1 "), Bytes("x"), Bytes("nan"),
                           Bytes("1e4933"), Bytes("1e-5000"), Bytes(with_zero)}) {
    long double value = 7;
    EXPECT_FALSE(ReadLongDouble(text, value)) << text;
    EXPECT_EQ(value, 7);
  }
  EXPECT_EQ(Rewritten(std::string(6000, '1')), "refused");
}

}  // namespace
}  // namespace mayfly::server
