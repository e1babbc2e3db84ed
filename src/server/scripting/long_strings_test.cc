// Goal: the cost of a string to a script does not depend on how many it holds.
// Method: scripts that keep n and 10n strings of 1 kB which differ in few bytes; processor time of
// this thread alone. With a hash over a part of the bytes, ten times as many took a hundred times
// as long.
#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "server/scripting/testing/script_runner.h"

namespace mayfly::server {
namespace {

double ProcessorSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

class LongStringsTest : public testing::TestWithParam<const char*> {
 protected:
  double Seconds(const std::string& count) {
    const double before = ProcessorSeconds();
    EXPECT_EQ(WireOfScript(engine_, host_, GetParam(), {}, {Bytes(count)}), ":" + count);
    return ProcessorSeconds() - before;
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  ScriptEngine engine_{clock_};
  PlainScriptHost host_;
};

TEST_P(LongStringsTest, TenTimesAsManyTakeAboutTenTimesAsLong) {
  Seconds("1000");
  const double few = Seconds("6000");
  const double many = Seconds("60000");
  EXPECT_LT(many, 30 * few) << few << " s for 6,000, " << many << " s for 60,000";
}

INSTANTIATE_TEST_SUITE_P(
    Where, LongStringsTest,
    testing::Values(
        "local t = {} for i = 1, ARGV[1] do t[i] = i .. string.rep('x', 1000) end return #t",
        "local t = {} for i = 1, ARGV[1] do t[i] = string.rep('x', 1000) .. i end return #t",
        "local half, t = string.rep('x', 500), {} "
        "for i = 1, ARGV[1] do t[i] = table.concat({half, i, half}) end return #t"));

TEST(ScriptMemory, WhatDoesNotFitIsRefusedAtOnce) {
  ManualClock clock{WallTimeFromMs(1'700'000'000'000)};
  ScriptEngine engine(clock);
  PlainScriptHost host;
  const double before = ProcessorSeconds();
  EXPECT_EQ(WireOfScript(engine, host,
                         "local t = {} for i = 1, 1e9 do t[i] = i .. string.rep('x', 1000) end"),
            "-ERR not enough memory script: {sha}");
  EXPECT_LT(ProcessorSeconds() - before, 10);
}

}  // namespace
}  // namespace mayfly::server
