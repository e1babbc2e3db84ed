// Goal: a clock beyond the bound is found, and none within it is ever called so, whatever the store
// does to the readings.
// Method: peers that read true time, a clock of ours at another rate, readings with random ages.
#include "engine/cluster/ownership/drift_meter.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace mayfly::engine::cluster {
namespace {

constexpr std::uint32_t kRefusedPpm = 10'000;

// When ours, at this rate, is found to be beyond the bound; 0: not within `seconds`.
int FoundAfter(double rate, int seconds, int peers, int stalled_from = 0, int stalled_until = 0) {
  DriftMeter meter(kRefusedPpm);
  Random random(11);
  SteadyTime former{};
  for (int second = 1; second <= seconds; ++second) {
    if (second >= stalled_from && second < stalled_until) continue;
    const auto ours = [&](double at) {
      return SteadyTime(Nanos(static_cast<std::int64_t>(at * rate * 1e9)));
    };
    for (int peer = 0; peer < peers; ++peer) {
      const double sampled = second - 0.001 * static_cast<double>(random.Below(900));
      meter.Add(static_cast<std::size_t>(peer), static_cast<std::int64_t>(sampled * 1e9), former,
                ours(second));
    }
    former = ours(second - 1.0);
    if (meter.IsBeyond()) return second;
  }
  return 0;
}

TEST(DriftMeter, FindsAClockThatIsTooFastOrTooSlow) {
  for (const double rate : {1.10, 0.90}) {
    const int found = FoundAfter(rate, 300, 8);
    EXPECT_GT(found, 0) << rate;
    EXPECT_LE(found, 60) << rate;
  }
  for (const double rate : {1.02, 0.98}) EXPECT_GT(FoundAfter(rate, 900, 8), 0) << rate;
}

TEST(DriftMeter, NeverBlamesAClockWithinTheBound) {
  for (const double rate : {1.0, 1.001, 0.999, 1.009, 0.991}) {
    EXPECT_EQ(FoundAfter(rate, 3600, 8), 0) << rate;
  }
}

TEST(DriftMeter, TakesAStallOfTheStoreForNoDrift) {
  EXPECT_EQ(FoundAfter(1.0, 1200, 8, 400, 460), 0);
}

TEST(DriftMeter, CannotTellWhichOfTwoClocksIsWrong) {
  EXPECT_EQ(FoundAfter(1.10, 600, 1), 0);
  EXPECT_GT(FoundAfter(1.10, 600, 2), 0);
}

TEST(DriftMeter, FollowsTheMajority) {
  DriftMeter meter(kRefusedPpm);
  // Three of eight peers run 20% fast; the others agree with us.
  for (int second = 1; second <= 600; ++second) {
    for (std::size_t peer = 0; peer < 8; ++peer) {
      const double rate = peer < 3 ? 1.2 : 1.0;
      meter.Add(peer, static_cast<std::int64_t>(second * rate * 1e9),
                SteadyTime(std::chrono::seconds(second - 1)),
                SteadyTime(std::chrono::seconds(second)));
    }
    ASSERT_FALSE(meter.IsBeyond());
  }
}

TEST(DriftMeter, ForgetsAPeerThatHasStartedAgain) {
  DriftMeter meter(kRefusedPpm);
  for (int second = 1; second <= 600; ++second) {
    for (std::size_t peer = 0; peer < 2; ++peer) {
      if (second == 300) meter.Forget(peer);
      const int since = second < 300 ? second : second - 300;
      meter.Add(peer, std::int64_t{since} * 1'000'000'000,
                SteadyTime(std::chrono::seconds(second - 1)),
                SteadyTime(std::chrono::seconds(second)));
    }
    ASSERT_FALSE(meter.IsBeyond()) << second;
  }
}

}  // namespace
}  // namespace mayfly::engine::cluster
