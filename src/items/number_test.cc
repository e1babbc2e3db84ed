// Goal: numbers are DynamoDB's decimals: one normal form, exact sums, order by value, its errors.
// Method: tables of texts, and seeded draws against arithmetic on plain integers.
#include <gtest/gtest.h>

#include <string>

#include "base/random.h"
#include "mayfly/item.h"

namespace mayfly {
namespace {

Number Of(std::string_view text) {
  const auto number = Number::Parse(text);
  EXPECT_TRUE(number.has_value()) << text << ": " << number.status().ToString();
  return number.value_or(Number());
}

// The text of a result, or its message.
std::string Said(const Result<Number>& result) {
  return result ? result->text() : std::string(result.error().message());
}

std::string Zeros(std::size_t count) { return std::string(count, '0'); }
std::string Ones(std::size_t count) { return std::string(count, '1'); }
std::string Nines(std::size_t count) { return std::string(count, '9'); }

constexpr const char* kOverflow =
    "Number overflow. Attempting to store a number with magnitude larger than supported range";
constexpr const char* kUnderflow =
    "Number underflow. Attempting to store a number with magnitude smaller than supported range";
constexpr const char* kTooLong = "Attempting to store more than 38 significant digits in a Number";
constexpr const char* kNoNumber = "The parameter cannot be converted to a numeric value";

TEST(Number, HasOneNormalForm) {
  const struct {
    const char* text;
    const char* normal;
    // clang-format off
  } cases[] = {
      {"0",              "0"},
      {"-0",             "0"},
      {"0.00",           "0"},
      {"0e999999999999", "0"},
      {"1",              "1"},
      {"+1",             "1"},
      {"-1",             "-1"},
      {"007",            "7"},
      {"1.0",            "1"},
      {"1.50",           "1.5"},
      {".5",             "0.5"},
      {"5.",             "5"},
      {"-0.0125",        "-0.0125"},
      {"6.02E23",        "602000000000000000000000"},
      {"6.02e+2",        "602"},
      {"1200e-2",        "12"},
      {"1200e-4",        "0.12"},
  };
  // clang-format on
  for (const auto& c : cases) EXPECT_EQ(Said(Number::Parse(c.text)), c.normal) << c.text;
  for (const char* same :
       {"12345678901234567890123456789012345678", "-1234567890123456789012345678901234567.8",
        "100000000000000000000000000000000000000000"}) {
    EXPECT_EQ(Said(Number::Parse(same)), same);
  }
  EXPECT_EQ(Said(Number::Parse("1e125")), "1" + Zeros(125));
  EXPECT_EQ(Said(Number::Parse("1e-130")), "0." + Zeros(129) + "1");
  EXPECT_EQ(Number().text(), "0");
  EXPECT_EQ(Number(-42).text(), "-42");
  EXPECT_EQ(Of("4.20"), Of("42e-1"));
}

TEST(Number, RefusesWhatIsNone) {
  EXPECT_EQ(Said(Number::Parse("")), kNoNumber);
  for (const char* text :
       {" ", "abc", "1 ", " 1", "1e", "1e+", "e5", ".", "-", "--1", "+-1", "1.2.3", "0x10", "1e1.5",
        "NaN", "Infinity", "1_000", "1,5", "\xc3\xa9"}) {
    EXPECT_EQ(Said(Number::Parse(text)), std::string(kNoNumber) + ": " + text);
  }
}

TEST(Number, RefusesWhatIsTooLongOrOutOfRange) {
  const struct {
    std::string text;
    const char* message;
    // clang-format off
  } cases[] = {
      {"123456789012345678901234567890123456789",  kTooLong},
      {"1.23456789012345678901234567890123456789", kTooLong},
      {"1e126",                                    kOverflow},
      {"-1e126",                                   kOverflow},
      {"1e99999999999999999999999",                kOverflow},
      {"10e125",                                   kOverflow},
      {"1e-131",                                   kUnderflow},
      {"0.1e-130",                                 kUnderflow},
      {"1e-99999999999999999999999",               kUnderflow},
      {Ones(127),                                  kOverflow},
      {Ones(126),                                  kTooLong},
  };
  // clang-format on
  for (const auto& c : cases) EXPECT_EQ(Said(Number::Parse(c.text)), c.message) << c.text;
  EXPECT_TRUE(Number::Parse("9.9999999999999999999999999999999999999e125").has_value());
}

TEST(Number, IsOrderedByValue) {
  const char* ascending[] = {"-9e125", "-1e38", "-10.01",  "-10",      "-9.5",   "-9",
                             "-0.5",   "-0.05", "-1e-130", "0",        "1e-130", "0.05",
                             "0.5",    "0.51",  "1",       "1.000001", "2",      "9",
                             "10",     "11",    "100.5",   "1e38",     "9e125"};
  for (std::size_t i = 0; i < std::size(ascending); ++i) {
    for (std::size_t j = 0; j < std::size(ascending); ++j) {
      EXPECT_EQ(Of(ascending[i]) <=> Of(ascending[j]), i <=> j) << i << " " << j;
    }
  }
}

TEST(Number, AddsExactly) {
  const struct {
    const char* a;
    const char* b;
    std::string sum;
    // clang-format off
  } cases[] = {
      {"0",        "0",       "0"},
      {"1",        "-1",      "0"},
      {"0.1",      "0.2",     "0.3"},
      {"999",      "1",       "1000"},
      {"-999",     "-1",      "-1000"},
      {"1e37",     "1",       "1" + Zeros(36) + "1"},
      {"1e38",     "1",       kTooLong},
      {"1e38",     "-1",      Nines(38)},
      {"1e39",     "-1",      kTooLong},
      {"1e125",    "1e-130",  kTooLong},
      {"1e75",     "1",       kTooLong},
      {"1e76",     "1",       kTooLong},
      {"1e125",    "0",       "1" + Zeros(125)},
      {"0",        "1e-130",  "0." + Zeros(129) + "1"},
      {"9e125",    "1e125",   kOverflow},
      {"-9e125",   "-1e125",  kOverflow},
      {"1.1e-129", "-1e-129", "0." + Zeros(129) + "1"},
  };
  // clang-format on
  for (const auto& c : cases) {
    EXPECT_EQ(Said(Add(Of(c.a), Of(c.b))), c.sum) << c.a << " + " << c.b;
    EXPECT_EQ(Said(Add(Of(c.b), Of(c.a))), c.sum) << c.b << " + " << c.a;
  }
  const std::string nines = Nines(38);
  EXPECT_EQ(Said(Add(Of(nines), Of("1"))), "1" + Zeros(38));
  EXPECT_EQ(Said(Add(Of(nines), Of("0.1"))), kTooLong);
  EXPECT_EQ(Said(Add(Of(nines + "e-1"), Of("0.1"))), "1" + Zeros(37));
}

TEST(Number, SubtractsExactly) {
  EXPECT_EQ(Said(Subtract(Of("0.3"), Of("0.1"))), "0.2");
  EXPECT_EQ(Said(Subtract(Of("1"), Of("3"))), "-2");
  EXPECT_EQ(Said(Subtract(Of("-5"), Of("-5"))), "0");
  EXPECT_EQ(Said(Subtract(Of("5"), Of("0"))), "5");
  EXPECT_EQ(Said(Subtract(Of("0"), Of("5"))), "-5");
  EXPECT_EQ(Said(Subtract(Of("-9e125"), Of("1e125"))), kOverflow);
  EXPECT_EQ(Said(Subtract(Of("1e-129"), Of("9.9e-130"))), kUnderflow);
}

TEST(Number, AgreesWithIntegers) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int i = 0; i < 5000; ++i) {
    const auto draw = [&] {
      const auto value = static_cast<std::int64_t>(random.Below(1ULL << random.Between(1, 60)));
      return random.OneIn(2) ? -value : value;
    };
    const std::int64_t a = draw();
    const std::int64_t b = draw();
    ASSERT_EQ(Said(Add(Number(a), Number(b))), std::to_string(a + b)) << a << " " << b;
    ASSERT_EQ(Said(Subtract(Number(a), Number(b))), std::to_string(a - b)) << a << " " << b;
    ASSERT_EQ(Number(a) <=> Number(b), a <=> b) << a << " " << b;
  }
}

}  // namespace
}  // namespace mayfly
