// Arguments: words in any case, numbers in the one form, times in their four units.
// Method: tables of texts.
#include "server/command/arguments.h"

#include <gtest/gtest.h>

#include <limits>

namespace mayfly::server {
namespace {

constexpr WallTime kNow = WallTimeFromMs(1'700'000'000'000);

TEST(Arguments, AWordIsItselfInAnyCase) {
  EXPECT_TRUE(IsWord("KeepTtl", "keepttl"));
  EXPECT_FALSE(IsWord("keepttl2", "keepttl"));
  EXPECT_FALSE(IsWord("keep", "keepttl"));
}

TEST(Arguments, NumbersHaveOneForm) {
  EXPECT_EQ(IntegerArgument("-12").value(), -12);
  for (const char* text : {"", " 1", "1 ", "+1", "01", "1.0", "9223372036854775808"}) {
    EXPECT_EQ(IntegerArgument(text).error().message(), "value is not an integer or out of range");
  }
  EXPECT_EQ(IntegerArgument("5", 6, 7).error().message(), "value is out of range");
  EXPECT_EQ(DoubleArgument("nan").error().message(), "value is not a valid float");
  EXPECT_EQ(DoubleArgument("-inf").value(), -std::numeric_limits<double>::infinity());
}

TEST(Arguments, TimesCountFromNowOrFromTheEpoch) {
  const auto instant = [](const char* text, TimeUnit unit) {
    return InstantArgument(text, unit, kNow, "set", false).value();
  };
  EXPECT_EQ(instant("2", TimeUnit::kSeconds), kNow + Millis(2000));
  EXPECT_EQ(instant("2", TimeUnit::kMillis), kNow + Millis(2));
  EXPECT_EQ(instant("2", TimeUnit::kUnixSeconds), WallTimeFromMs(2000));
  EXPECT_EQ(instant("-2", TimeUnit::kUnixMillis), WallTimeFromMs(-2));
}

TEST(Arguments, TimesBeyondTheAgesAreRefused) {
  const auto refused = [](const char* text, TimeUnit unit, bool positive) {
    return InstantArgument(text, unit, kNow, "set", positive).error().message() ==
           "invalid expire time in 'set' command";
  };
  EXPECT_TRUE(refused("0", TimeUnit::kSeconds, true));
  EXPECT_TRUE(refused("9223372036854775807", TimeUnit::kSeconds, true));
  EXPECT_TRUE(refused("9223372036854775807", TimeUnit::kMillis, true));
  EXPECT_TRUE(refused("-9223372036854775808", TimeUnit::kUnixSeconds, false));
  EXPECT_FALSE(InstantArgument("x", TimeUnit::kSeconds, kNow, "set", true).has_value());
}

}  // namespace
}  // namespace mayfly::server
