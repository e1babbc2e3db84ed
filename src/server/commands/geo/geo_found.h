// geo_found.h - the points of a sorted set that lie within a shape.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mayfly/result.h"
#include "types/geo/geo_shape.h"
#include "types/sorted_set.h"

namespace mayfly::server {

struct FoundPoint {
  std::string name;
  double score;
  double metres;  // From the centre.
  types::GeoPoint point;
};

// In the order of the cells that are searched, and of scores within each. With a limit that is not
// 0 the search ends at so many. Invalid if the result is too large to be held.
Result<std::vector<FoundPoint>> FindPoints(const types::SortedSet& points,
                                           const types::GeoShape& shape, std::size_t limit);

}  // namespace mayfly::server
