#include "types/geo/geo_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace mayfly::types {
namespace {

constexpr double kEarthRadius = 6372797.560856;       // Metres.
constexpr double kHalfTheMap = 20037726.37;           // Metres from the map's middle to its edge.
constexpr double kRadian = std::numbers::pi / 180.0;  // Of a degree.

// Beyond these, cells are narrow: each costs a step.
constexpr double kNearThePole = 66;
constexpr double kAtThePole = 80;

double Radians(double degrees) { return degrees * kRadian; }
double Degrees(double radians) { return radians / kRadian; }

double DistanceOfLatitudes(double one, double other) {
  return kEarthRadius * std::fabs(Radians(other) - Radians(one));
}

// How far the shape reaches. Its sides are bent: the width in degrees is that at the edge which is
// nearer to the pole.
GeoBounds BoundsOf(const GeoShape& shape) {
  const bool circle = shape.kind == GeoShape::Kind::kCircle;
  const double height = shape.unit_metres * (circle ? shape.radius : shape.height / 2);
  const double width = shape.unit_metres * (circle ? shape.radius : shape.width / 2);
  const auto [longitude, latitude] = shape.centre;
  const double up = Degrees(height / kEarthRadius);
  const double edge = latitude < 0 ? latitude - up : latitude + up;
  const double aside = Degrees(width / kEarthRadius / std::cos(Radians(edge)));
  return {.west = longitude - aside,
          .south = latitude - up,
          .east = longitude + aside,
          .north = latitude + up};
}

// How many steps make cells that are about as large as the shape.
unsigned StepsFor(double metres, double latitude) {
  if (metres == 0) return kScoreSteps;
  int steps = -1;
  while (metres < kHalfTheMap) {
    metres *= 2;
    ++steps;
  }
  if (std::fabs(latitude) > kNearThePole) --steps;
  if (std::fabs(latitude) > kAtThePole) --steps;
  return static_cast<unsigned>(std::clamp(steps, 1, static_cast<int>(kScoreSteps)));
}

// The farthest from the centre that a point of the shape can be.
double Reach(const GeoShape& shape) {
  if (shape.kind == GeoShape::Kind::kCircle) return shape.radius * shape.unit_metres;
  const double aside = shape.width / 2;
  const double up = shape.height / 2;
  return std::sqrt(aside * aside + up * up) * shape.unit_metres;
}

// Whether the cell and those beside it leave some of the bounds out.
bool LeavesOut(const GeoCell& cell, const GeoBounds& bounds) {
  return BoundsOf(Neighbour(cell, 0, 1)).north < bounds.north ||
         BoundsOf(Neighbour(cell, 0, -1)).south > bounds.south ||
         BoundsOf(Neighbour(cell, 1, 0)).east < bounds.east ||
         BoundsOf(Neighbour(cell, -1, 0)).west > bounds.west;
}

struct Direction {
  int columns;
  int rows;
};

constexpr std::array kAround = std::to_array<Direction>(
    {{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}});

// Whether the shape ends before it gets there, as `own`, the cell of the centre, already shows.
bool IsUseless(const Direction& to, const GeoBounds& own, const GeoBounds& bounds) {
  return (to.rows < 0 && own.south < bounds.south) || (to.rows > 0 && own.north > bounds.north) ||
         (to.columns < 0 && own.west < bounds.west) || (to.columns > 0 && own.east > bounds.east);
}

}  // namespace

double Distance(const GeoPoint& from, const GeoPoint& to) {
  const double v = std::sin((Radians(to.longitude) - Radians(from.longitude)) / 2);
  if (v == 0.0) return DistanceOfLatitudes(from.latitude, to.latitude);
  const double from_latitude = Radians(from.latitude);
  const double to_latitude = Radians(to.latitude);
  const double u = std::sin((to_latitude - from_latitude) / 2);
  const double a = u * u + std::cos(from_latitude) * std::cos(to_latitude) * v * v;
  // Rounded, it may be above 1 for points at opposite ends.
  return 2.0 * kEarthRadius * std::asin(std::sqrt(std::min(a, 1.0)));
}

std::optional<double> DistanceWithin(const GeoShape& shape, const GeoPoint& point) {
  if (shape.kind == GeoShape::Kind::kBox) {
    const double up = DistanceOfLatitudes(point.latitude, shape.centre.latitude);
    if (up > shape.height * shape.unit_metres / 2) return std::nullopt;
    const GeoPoint beside{.longitude = shape.centre.longitude, .latitude = point.latitude};
    if (Distance(point, beside) > shape.width * shape.unit_metres / 2) return std::nullopt;
  }
  const double distance = Distance(shape.centre, point);
  const bool outside =
      shape.kind == GeoShape::Kind::kCircle && distance > shape.radius * shape.unit_metres;
  return outside ? std::nullopt : std::optional(distance);
}

std::vector<GeoCell> CellsToSearch(const GeoShape& shape) {
  const GeoBounds bounds = BoundsOf(shape);
  unsigned steps = StepsFor(Reach(shape), shape.centre.latitude);
  GeoCell centre = CellOf(shape.centre, steps);
  if (LeavesOut(centre, bounds) && steps > 1) centre = CellOf(shape.centre, --steps);
  const GeoBounds own = BoundsOf(centre);
  std::vector<GeoCell> cells = {centre};
  for (const Direction& to : kAround) {
    // In a grid of two by two there is no other side.
    if (steps > 1 && IsUseless(to, own, bounds)) continue;
    const GeoCell cell = Neighbour(centre, to.columns, to.rows);
    if (cells.size() == 1 || cells.back() != cell) cells.push_back(cell);
  }
  return cells;
}

}  // namespace mayfly::types
