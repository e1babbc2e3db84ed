// Goal: a thread that yields gets its share of a core that many want, and leaves a free one at once.
// Method: instants are given as numbers; there is no clock.
#include "base/fair_yield.h"

#include <gtest/gtest.h>

namespace mayfly {
namespace {

using namespace std::chrono_literals;

constexpr SteadyTime kBegin{1h};

TEST(FairYield, YieldsAfterEachPieceOfWorkWhileNobodyWantsTheCore) {
  FairYield yield;
  EXPECT_TRUE(yield.IsDue(kBegin));
  yield.Yielded(kBegin, kBegin + 1us);
  EXPECT_FALSE(yield.IsDue(kBegin + 1us));
  EXPECT_TRUE(yield.IsDue(kBegin + 2us));
}

TEST(FairYield, WorksForAsLongAsItHasWaited) {
  FairYield yield;
  yield.Yielded(kBegin, kBegin + 2ms);
  EXPECT_FALSE(yield.IsDue(kBegin + 4ms - 1ns));
  EXPECT_TRUE(yield.IsDue(kBegin + 4ms));
}

TEST(FairYield, WorksForABoundedTimeHoweverLongItHasWaited) {
  FairYield yield;
  yield.Yielded(kBegin, kBegin + 1s);
  EXPECT_FALSE(yield.IsDue(kBegin + 1s + FairYield::kWorkMax - 1ns));
  EXPECT_TRUE(yield.IsDue(kBegin + 1s + FairYield::kWorkMax));
}

}  // namespace
}  // namespace mayfly
