// Goal: points become the scores that Redis gives them, and scores its points.
// Method: values of redis-server 7.0, at the edges of the grid as well; random points.
#include "types/geo/geo_cell.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"

namespace mayfly::types {
namespace {

GeoPoint RandomPoint(Random& random) {
  const auto share = [&] { return static_cast<double>(random.Next() >> 11) * 0x1p-53; };
  return {.longitude = -kLongitudeMax + share() * 2 * kLongitudeMax,
          .latitude = -kLatitudeMax + share() * 2 * kLatitudeMax};
}

TEST(GeoCell, ScoresAndGeohashesAreRedis) {
  const struct {
    GeoPoint point;
    double score;
    const char* geohash;
  } cases[] = {
      {{13.361389, 38.115556}, 3479099956230698, "sqc8b49rny0"},
      {{15.087269, 37.502669}, 3479447370796909, "sqdtr74hyu0"},
      {{-5.6, 42.6}, 2157242200379188, "ezs42e44yx0"},
      {{0, 0}, 3377699720527872, "s0000000000"},
      {{-180, -kLatitudeMax}, 0, "00bh0hbj200"},
      {{180, kLatitudeMax}, 13510798882111488.0, "bp05b5048p0"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(GeohashOf(PointOfScore(ScoreOfPoint(one.point))), one.geohash);
    EXPECT_EQ(ScoreOfPoint(one.point), one.score);
  }
}

TEST(GeoCell, APointComesBackWithinItsCell) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int i = 0; i < 10'000; ++i) {
    const GeoPoint point = RandomPoint(random);
    const double score = ScoreOfPoint(point);
    const GeoPoint back = PointOfScore(score);
    ASSERT_NEAR(back.longitude, point.longitude, 3e-6);
    ASSERT_NEAR(back.latitude, point.latitude, 2e-6);
    ASSERT_EQ(ScoreOfPoint(back), score);
    for (unsigned steps = 1; steps <= kScoreSteps; ++steps) {
      const GeoScores scores = ScoresOf(CellOf(point, steps));
      ASSERT_TRUE(score >= scores.first && score < scores.end) << steps;
    }
  }
}

TEST(GeoCell, NeighboursGoAroundTheWorld) {
  const GeoCell cell{.column = 0, .row = 3, .steps = 2};
  EXPECT_EQ(Neighbour(cell, -1, 0), (GeoCell{.column = 3, .row = 3, .steps = 2}));
  EXPECT_EQ(Neighbour(cell, 1, 1), (GeoCell{.column = 1, .row = 0, .steps = 2}));
  EXPECT_EQ(Neighbour(Neighbour(cell, -1, 1), 1, -1), cell);
  const GeoBounds bounds = BoundsOf(cell);
  EXPECT_EQ(bounds.west, -180);
  EXPECT_EQ(bounds.east, -90);
  EXPECT_EQ(bounds.north, kLatitudeMax);
}

TEST(GeoCell, TheGridEndsBeforeThePoles) {
  EXPECT_TRUE(IsOnGrid({180, kLatitudeMax}));
  EXPECT_TRUE(IsOnGrid({-180, -kLatitudeMax}));
  EXPECT_FALSE(IsOnGrid({std::nextafter(180, 181), 0}));
  EXPECT_FALSE(IsOnGrid({0, std::nextafter(kLatitudeMax, 90)}));
  EXPECT_FALSE(IsOnGrid({std::nan(""), 0}));
  EXPECT_FALSE(IsOnGrid({0, std::nan("")}));
}

TEST(GeoCell, AnyScoreIsSomePoint) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double score : {-1.0, 1.5, -1e300, 1e300, kInfinity, -kInfinity, 9.3e18, 0x1p52}) {
    EXPECT_TRUE(IsOnGrid(PointOfScore(score))) << score;
  }
  EXPECT_EQ(WholeScore(kInfinity), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(WholeScore(-2.9), -2);
}

}  // namespace
}  // namespace mayfly::types
