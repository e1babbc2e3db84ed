// geo_search_query.h - the arguments of the six commands that search for points.
#pragma once

#include <cstdint>
#include <optional>

#include "server/command/command.h"
#include "types/geo/geo_shape.h"
#include "types/sorted_set.h"

namespace mayfly::server {

enum class GeoOrder : std::uint8_t { kAsFound, kNearestFirst, kFarthestFirst };

struct GeoQuery {
  types::GeoShape shape;
  GeoOrder order = GeoOrder::kAsFound;
  std::int64_t count = 0;  // 0: all.
  bool any = false;        // The first that are found are enough.
  bool with_distance = false;
  bool with_score = false;
  bool with_point = false;
  std::optional<Bytes> target;   // Results are stored there.
  bool store_distances = false;  // And not the points.
};

// What a command takes beside the options that all have.
struct GeoSearchForm {
  enum class Centre : std::uint8_t { kPoint, kMember, kOption };  // Where it is given.

  Centre centre;
  bool may_store = false;  // STORE and STOREDIST name a key.
  bool stores = false;     // GEOSEARCHSTORE: the first argument is the target.
};

// `points` is the set that is searched; a member of it may be the centre.
Result<GeoQuery> ReadGeoQuery(const Call& call, const GeoSearchForm& form,
                              const types::SortedSet& points);

}  // namespace mayfly::server
