// Goal: numbers are read and written in Redis' forms. Method: tables, and printf as the reference.
#include "wire/decimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>

#include "base/random.h"
#include "base/testing/environment.h"

namespace mayfly {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string Written(double value) {
  char text[kDecimalBytesMax];
  return {text, WriteDouble(text, value)};
}

TEST(Decimal, ReadsIntegersInOneFormOnly) {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{10},
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    std::int64_t read = 7;
    EXPECT_TRUE(ReadInteger(std::to_string(value), read));
    EXPECT_EQ(read, value);
    char text[kDecimalBytesMax];
    EXPECT_EQ(std::string(text, WriteInteger(text, value)), std::to_string(value));
  }
  for (const char* const bad :
       {"", "-", "+1", " 1", "1 ", "01", "-0", "-01", "00", "1a", "a", "--1", "0x1", "1.0",
        "9223372036854775808", "-9223372036854775809", "99999999999999999999999"}) {
    std::int64_t read = 7;
    EXPECT_FALSE(ReadInteger(bad, read)) << bad;
    EXPECT_EQ(read, 7) << bad;
  }
}

TEST(Decimal, WritesDoublesAsRedis70Does) {
  EXPECT_EQ(Written(0), "0");
  EXPECT_EQ(Written(-0.0), "-0");
  EXPECT_EQ(Written(3), "3");
  EXPECT_EQ(Written(-12), "-12");
  EXPECT_EQ(Written(1.5), "1.5");
  EXPECT_EQ(Written(0.1), "0.10000000000000001");
  EXPECT_EQ(Written(3.14), "3.1400000000000001");
  EXPECT_EQ(Written(1e16), "10000000000000000");
  EXPECT_EQ(Written(1e17), "1e+17");
  EXPECT_EQ(Written(1e-5), "1.0000000000000001e-05");
  EXPECT_EQ(Written(kInfinity), "inf");
  EXPECT_EQ(Written(-kInfinity), "-inf");
  EXPECT_EQ(Written(kNan), "nan");
  EXPECT_EQ(Written(-kNan), "nan");
}

TEST(Decimal, WritesDoublesAsPrintfDoesAndReadsThemBack) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  SCOPED_TRACE("MAYFLY_SEED=" + std::to_string(seed));
  Random random(seed);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t bits = random.Next();
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (i % 3 == 0) value = static_cast<double>(static_cast<std::int64_t>(bits >> (bits % 60)));
    if (i % 3 == 1) value = static_cast<double>(bits % 100'000) / 100;
    if (!std::isfinite(value)) continue;
    char expected[64];
    std::snprintf(expected, sizeof(expected), "%.17g", value);
    const std::string written = Written(value);
    ASSERT_EQ(written, expected);
    double read = 0;
    ASSERT_TRUE(ReadDouble(written, read));
    ASSERT_EQ(read, value);
  }
}

TEST(Decimal, ReadsDoublesAndRefusesTheRest) {
  double read = 0;
  for (const char* const good : {"1", "+1", "1.0", "1e0", "10e-1", "0001"}) {
    EXPECT_TRUE(ReadDouble(good, read)) << good;
    EXPECT_EQ(read, 1) << good;
  }
  EXPECT_TRUE(ReadDouble("-inf", read));
  EXPECT_EQ(read, -kInfinity);
  EXPECT_TRUE(ReadDouble("+inf", read));
  EXPECT_EQ(read, kInfinity);
  EXPECT_TRUE(ReadDouble("nan", read));
  EXPECT_TRUE(std::isnan(read));
  for (const char* const bad : {"", "+", "-", "+-1", "++1", "1x", " 1", "1 ", "0x1p3", "1e999"}) {
    EXPECT_FALSE(ReadDouble(bad, read)) << bad;
  }
}

}  // namespace
}  // namespace mayfly
