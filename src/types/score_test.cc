// Scores as bytes: the order of numbers, and every number back.
// Method: a ladder of doubles from -inf to inf, and random bits.
#include "types/score.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/random.h"

namespace mayfly::types {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Score, BytesAscendWithTheNumber) {
  const double ladder[] = {-kInfinity, -1e308, -2.5, -1,    -5e-324,  0,
                           5e-324,     1,      2.5,  1e308, kInfinity};
  for (std::size_t i = 0; i + 1 < std::size(ladder); ++i) {
    EXPECT_LT(ScoreBytes(ladder[i]), ScoreBytes(ladder[i + 1])) << ladder[i];
  }
}

TEST(Score, ComesBackExactly) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(seed);
  Random random(seed);
  double before = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto score = std::bit_cast<double>(random.Next());
    if (std::isnan(score)) continue;
    EXPECT_EQ(ScoreOf(ScoreBytes(score)).value(), score);
    EXPECT_EQ(ScoreBytes(before) < ScoreBytes(score), before < score);
    before = score;
  }
}

TEST(Score, MinusZeroIsZero) {
  EXPECT_EQ(ScoreBytes(-0.0), ScoreBytes(0.0));
  EXPECT_FALSE(std::signbit(ScoreOf(ScoreBytes(-0.0)).value()));
}

TEST(Score, NeverChanges) {
  EXPECT_EQ(ScoreBytes(1), std::string("\xbf\xf0\0\0\0\0\0\0", 8));
  EXPECT_EQ(ScoreBytes(-1), std::string("\x40\x0f\xff\xff\xff\xff\xff\xff", 8));
}

TEST(Score, DamagedBytesAreRefused) {
  EXPECT_EQ(ScoreOf("1234567").error().code(), StatusCode::kCorruption);
  EXPECT_EQ(ScoreOf(std::string(8, '\xff')).error().code(), StatusCode::kCorruption);
  EXPECT_EQ(ScoreOf(std::string(8, '\0')).error().code(), StatusCode::kCorruption);
}

}  // namespace
}  // namespace mayfly::types
