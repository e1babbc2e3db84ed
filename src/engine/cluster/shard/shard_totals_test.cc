// Goal: a stall is the time without an answer while writes wait. Method: instants by hand.
#include "engine/cluster/shard/shard_totals.h"

#include <gtest/gtest.h>

namespace mayfly::engine::cluster {
namespace {

using std::chrono::seconds;

constexpr SteadyTime At(int second) { return SteadyTime(seconds(second)); }

TEST(ShardTotals, AStallBeginsWithTheFirstWriteThatIsNotAnswered) {
  ShardTotals totals;
  EXPECT_EQ(totals.Stall(At(100)), seconds(0));
  totals.BeginWrite(At(100));
  EXPECT_EQ(totals.Stall(At(103)), seconds(3));
  totals.BeginWrite(At(103));
  EXPECT_EQ(totals.Stall(At(104)), seconds(4));
}

TEST(ShardTotals, AnAnswerToAnyWriteEndsIt) {
  ShardTotals totals;
  totals.BeginWrite(At(100));
  totals.BeginWrite(At(100));
  totals.EndWrite(At(100), At(105), /*is_answered=*/true);
  EXPECT_EQ(totals.Stall(At(106)), seconds(1));
  totals.EndWrite(At(100), At(107), /*is_answered=*/true);
  EXPECT_EQ(totals.Stall(At(200)), seconds(0));
  EXPECT_EQ(totals.writes.Read().micros, 12'000'000u);
}

TEST(ShardTotals, AWriteThatIsGivenUpIsNoAnswer) {
  ShardTotals totals;
  totals.BeginWrite(At(100));
  totals.BeginWrite(At(110));
  totals.EndWrite(At(100), At(160), /*is_answered=*/false);
  EXPECT_EQ(totals.Stall(At(161)), seconds(61));
}

}  // namespace
}  // namespace mayfly::engine::cluster
