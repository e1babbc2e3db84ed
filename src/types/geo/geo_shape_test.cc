// Goal: a search by cells finds every point of a shape, and no other.
// Method: random circles and boxes, the small and the huge, over random points; the points whose
// cell is searched are compared with those that are within by distance.
#include "types/geo/geo_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace mayfly::types {
namespace {

constexpr GeoPoint kPalermo{.longitude = 13.361389, .latitude = 38.115556};
constexpr GeoPoint kCatania{.longitude = 15.087269, .latitude = 37.502669};

double Share(Random& random) { return static_cast<double>(random.Next() >> 11) * 0x1p-53; }

// Redis finds nearly all points between these latitudes; beyond, cells are too narrow at times.
GeoPoint SomePoint(Random& random) {
  constexpr double kFarNorth = 70;
  return {.longitude = -180 + 360 * Share(random),
          .latitude = -kFarNorth + 2 * kFarNorth * Share(random)};
}

bool IsSearched(const std::vector<GeoCell>& cells, double score) {
  return std::any_of(cells.begin(), cells.end(), [&](const GeoCell& cell) {
    const GeoScores scores = ScoresOf(cell);
    return score >= scores.first && score < scores.end;
  });
}

TEST(GeoShape, DistancesAreRedis) {
  const auto stored = [](const GeoPoint& point) { return PointOfScore(ScoreOfPoint(point)); };
  EXPECT_NEAR(Distance(stored(kPalermo), stored(kCatania)), 166274.1516, 0.0001);
  EXPECT_EQ(Distance(kPalermo, kPalermo), 0);
  // Along a meridian, and to the other end of the world.
  EXPECT_NEAR(Distance({.longitude = 5, .latitude = 10}, {.longitude = 5, .latitude = 11}),
              111226.3, 0.1);
  EXPECT_NEAR(Distance({.longitude = 0, .latitude = 0}, {.longitude = 180, .latitude = 0}),
              20020734, 0.01);
}

TEST(GeoShape, EveryPointWithinIsSearched) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int round = 0; round < 300; ++round) {
    GeoShape shape{.centre = SomePoint(random), .unit_metres = 1000};
    const double size = std::pow(10, 4 * Share(random) - 1);
    if (round % 2 == 0) {
      shape.radius = size;
    } else {
      shape.kind = GeoShape::Kind::kBox;
      shape.width = size;
      shape.height = size * (0.1 + Share(random));
    }
    const std::vector<GeoCell> cells = CellsToSearch(shape);
    ASSERT_LE(cells.size(), 9u);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      ASSERT_EQ(std::count(cells.begin(), cells.end(), cells[i]), 1) << "a cell is searched twice";
    }
    for (int i = 0; i < 200; ++i) {
      // Near the shape, so that many are within.
      const double aside = size / 50 * (Share(random) - 0.5);
      GeoPoint point{.longitude = shape.centre.longitude + aside,
                     .latitude = shape.centre.latitude + size / 80 * (Share(random) - 0.5)};
      if (!IsOnGrid(point) || std::fabs(point.latitude) > 70) continue;
      point = PointOfScore(ScoreOfPoint(point));
      if (!DistanceWithin(shape, point)) continue;
      ASSERT_TRUE(IsSearched(cells, ScoreOfPoint(point)))
          << shape.centre.longitude << " " << shape.centre.latitude << " " << size << " point "
          << point.longitude << " " << point.latitude;
    }
  }
}

TEST(GeoShape, AShapeLargerThanTheWorldIsSearchedOnceEverywhere) {
  for (const double radius : {20037726.0, 5e7, 1e300}) {
    const auto cells = CellsToSearch({.centre = kPalermo, .radius = radius});
    EXPECT_EQ(cells.size(), 4u);
    for (const GeoPoint& point :
         {kCatania, GeoPoint{-170, -80}, GeoPoint{170, -80}, GeoPoint{-170, 80}, GeoPoint{0, 0}}) {
      EXPECT_TRUE(IsSearched(cells, ScoreOfPoint(point)));
    }
  }
}

TEST(GeoShape, EdgesBelongToTheShape) {
  const double distance = Distance(kPalermo, kCatania);
  GeoShape circle{.centre = kPalermo, .radius = distance};
  EXPECT_EQ(DistanceWithin(circle, kCatania), distance);
  circle.radius = std::nextafter(distance, 0);
  EXPECT_EQ(DistanceWithin(circle, kCatania), std::nullopt);
  const GeoShape box{.centre = kPalermo,
                     .kind = GeoShape::Kind::kBox,
                     .width = 305,
                     .height = 137,
                     .unit_metres = 1000};
  EXPECT_EQ(DistanceWithin(box, kCatania), distance);
  GeoShape narrow = box;
  narrow.width = 304;
  EXPECT_EQ(DistanceWithin(narrow, kCatania), std::nullopt);
  narrow = box;
  narrow.height = 136;
  EXPECT_EQ(DistanceWithin(narrow, kCatania), std::nullopt);
}

}  // namespace
}  // namespace mayfly::types
