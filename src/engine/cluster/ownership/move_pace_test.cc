// Goal: permits come at the rate that was asked for, and not in step.
// Method: time by hand, one ms at a time.
#include "engine/cluster/ownership/move_pace.h"

#include <gtest/gtest.h>

namespace mayfly::engine::cluster {
namespace {

constexpr Nanos kInterval = Millis(10);

int PermitsIn(int milliseconds, int step_ms, std::uint32_t jitter) {
  Random random(3);
  MovePace pace;
  int permits = 0;
  for (int ms = 0; ms < milliseconds; ms += step_ms) {
    while (pace.Take(SteadyTime(Millis(ms)), kInterval, jitter, random)) ++permits;
  }
  return permits;
}

TEST(MovePace, GivesOnePermitAnInterval) {
  EXPECT_EQ(PermitsIn(10'000, 1, 0), 1000);
  EXPECT_NEAR(PermitsIn(10'000, 1, 20), 1000, 30);
}

TEST(MovePace, MakesUpForACallerThatComesLate) { EXPECT_NEAR(PermitsIn(10'000, 30, 0), 1000, 10); }

TEST(MovePace, SavesNoPermitsForLater) {
  Random random(3);
  MovePace pace;
  EXPECT_TRUE(pace.Take(SteadyTime(Millis(0)), kInterval, 0, random));
  int permits = 0;
  while (pace.Take(SteadyTime(Millis(100'000)), kInterval, 0, random)) ++permits;
  EXPECT_EQ(permits, 1);
}

TEST(MovePace, StarvesNobodyWhoComesFarLessOftenThanPermits) {
  Random random(3);
  MovePace pace;
  int permits = 0;
  for (int ms = 0; ms < 10'000; ms += 50) {
    while (pace.Take(SteadyTime(Millis(ms)), std::chrono::microseconds(1), 20, random)) ++permits;
  }
  EXPECT_GE(permits, 199 * (kPaceBurst - 1));
}

TEST(MovePace, BeginsAtDifferentMoments) {
  int at_once = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    MovePace pace;
    at_once += pace.Take(SteadyTime(Millis(1)), kInterval, 20, random) ? 1 : 0;
    EXPECT_LE(pace.next(), SteadyTime(Millis(1)) + kInterval * 2);
  }
  EXPECT_LT(at_once, 5);
}

TEST(MovePace, VariesALengthByThePercentage) {
  Random random(5);
  Nanos shortest = Nanos::max();
  Nanos longest{0};
  for (int i = 0; i < 1000; ++i) {
    const Nanos length = Jittered(Millis(100), 20, random);
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
  }
  EXPECT_GE(shortest, Millis(80));
  EXPECT_LT(shortest, Millis(83));
  EXPECT_LE(longest, Millis(120));
  EXPECT_GT(longest, Millis(117));
}

}  // namespace
}  // namespace mayfly::engine::cluster
