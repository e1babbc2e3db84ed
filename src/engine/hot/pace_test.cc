// Goal: the fold rests less the longer the log is, and not at all before commits have to wait.
// Method: times and lengths as arguments.
#include "engine/hot/pace.h"

#include <gtest/gtest.h>

namespace mayfly::engine::hot {
namespace {

using std::chrono::nanoseconds;

TEST(FoldRest, IsAsLongAsTheWorkAtTheBoundOfTheLog) {
  EXPECT_EQ(FoldRest(nanoseconds(1000), 100, 100), nanoseconds(1000));
  EXPECT_EQ(FoldRest(nanoseconds(1000), 50, 100), nanoseconds(1000)) << "never longer";
}

TEST(FoldRest, ShrinksAsTheLogGrows) {
  EXPECT_EQ(FoldRest(nanoseconds(1000), 125, 100), nanoseconds(500));
  EXPECT_EQ(FoldRest(nanoseconds(1000), 149, 100), nanoseconds(20));
}

TEST(FoldRest, IsNothingFromOneAndAHalfTimesTheBoundOn) {
  EXPECT_EQ(FoldRest(nanoseconds(1000), 150, 100), nanoseconds(0));
  EXPECT_EQ(FoldRest(nanoseconds(1000), 1000, 100), nanoseconds(0));
}

}  // namespace
}  // namespace mayfly::engine::hot
