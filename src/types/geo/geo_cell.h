// geo_cell.h - points on the earth as numbers, so that a sorted set keeps neighbours together.
// A grid halves the world in both directions at each of its steps. The bits of a cell's column and
// row are interleaved, the column's first, so all points of a cell have one prefix and lie in one
// range of scores. A score has 26 steps: 52 bits, all of which a double holds.
// Invariant: scores and the points made of them are those of Redis, to the bit: a sorted set of
// points moves between the two as it is. Stored; never change.
#pragma once

#include <cstdint>
#include <string>

namespace mayfly::types {

// In degrees. The poles are beyond the grid.
inline constexpr double kLongitudeMax = 180;
inline constexpr double kLatitudeMax = 85.05112878;

struct GeoPoint {
  double longitude;
  double latitude;
};

// False for coordinates beyond the grid, and for nan.
bool IsOnGrid(const GeoPoint& point);

// From edge to edge, in degrees.
struct GeoBounds {
  double west;
  double south;
  double east;
  double north;
};

inline constexpr unsigned kScoreSteps = 26;

struct GeoCell {
  std::uint32_t column;  // From the west.
  std::uint32_t row;     // From the south.
  unsigned steps;        // 1 to kScoreSteps.

  bool operator==(const GeoCell&) const = default;
};

// The cell of a point on the grid.
GeoCell CellOf(const GeoPoint& point, unsigned steps);

GeoBounds BoundsOf(const GeoCell& cell);

// The cell so many columns and rows away, -1 to 1 of each; around the world where it ends.
GeoCell Neighbour(const GeoCell& cell, int columns, int rows);

// Scores of the points of a cell: from the first one up to `end`, which is excluded.
struct GeoScores {
  double first;
  double end;
};

GeoScores ScoresOf(const GeoCell& cell);

double ScoreOfPoint(const GeoPoint& point);

// The middle of the score's cell. For any number: where it is no score of a point, the result is
// some point on the grid.
GeoPoint PointOfScore(double score);

// As an integer, for any number.
std::int64_t WholeScore(double score);

// The point's geohash, as others write it: 11 characters, of which the last is always 0.
std::string GeohashOf(const GeoPoint& point);

}  // namespace mayfly::types
