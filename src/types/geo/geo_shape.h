// geo_shape.h - circles and boxes on the earth, and the cells to search for what lies in them.
// Distances are great circles on a sphere, as in Redis, with its radius; so are the cells and their
// order, which is that of results nobody asked to sort.
#pragma once

#include <optional>
#include <vector>

#include "types/geo/geo_cell.h"

namespace mayfly::types {

// In metres.
double Distance(const GeoPoint& from, const GeoPoint& to);

// Lengths are as the caller gave them; a unit has so many metres.
struct GeoShape {
  enum class Kind : std::uint8_t { kCircle, kBox };

  GeoPoint centre = {};
  Kind kind = Kind::kCircle;
  double radius = 0;  // Of a circle.
  double width = 0;   // These two of a box: along the parallel of each point in it.
  double height = 0;
  double unit_metres = 1;
};

// The distance from the centre in metres, for a point within the shape.
std::optional<double> DistanceWithin(const GeoShape& shape, const GeoPoint& point);

// The cells in which all points of the shape lie, each once: that of the centre and up to eight
// around it.
std::vector<GeoCell> CellsToSearch(const GeoShape& shape);

}  // namespace mayfly::types
