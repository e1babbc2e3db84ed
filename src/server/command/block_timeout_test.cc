// Timeouts of blocking commands: fractions, for ever, and what is refused.
// Method: tables of texts.
#include "server/command/block_timeout.h"

#include <gtest/gtest.h>

namespace mayfly::server {
namespace {

constexpr WallTime kTimeoutNow = WallTimeFromMs(1'700'000'000'000);

TEST(BlockTimeout, IsSecondsRoundedUpToMilliseconds) {
  EXPECT_EQ(BlockTimeout("1", kTimeoutNow).value(), Millis(1000));
  EXPECT_EQ(BlockTimeout("0.1", kTimeoutNow).value(), Millis(100));
  EXPECT_EQ(BlockTimeout("0.0001", kTimeoutNow).value(), Millis(1));
  EXPECT_EQ(BlockTimeout("1e3", kTimeoutNow).value(), Millis(1'000'000));
}

TEST(BlockTimeout, ZeroIsForEver) {
  EXPECT_EQ(BlockTimeout("0", kTimeoutNow).value(), std::nullopt);
  EXPECT_EQ(BlockTimeout("0.0", kTimeoutNow).value(), std::nullopt);
  EXPECT_EQ(BlockTimeout("-0", kTimeoutNow).value(), std::nullopt);
}

TEST(BlockTimeout, WhatIsNoTimeIsRefused) {
  const auto error = [](Bytes text) {
    return std::string(BlockTimeout(text, kTimeoutNow).error().message());
  };
  for (const char* text : {"", "x", " 1", "1s", "nan"}) {
    EXPECT_EQ(error(text), "timeout is not a float or out of range");
  }
  EXPECT_EQ(error("-1"), "timeout is negative");
  EXPECT_EQ(error("-0.001"), "timeout is negative");
  EXPECT_EQ(error("1e30"), "timeout is out of range");
  EXPECT_EQ(error("inf"), "timeout is out of range");
}

}  // namespace
}  // namespace mayfly::server
