// geo_commands.h - the handlers of the geospatial family, by file.
// Points are members of a sorted set, and their places its scores (types/geo/geo_cell.h). So the
// commands of sorted sets work on them, too, and a key keeps its deadline as sorted sets do.
#pragma once

#include "server/command/command.h"

namespace mayfly::server {

// geo_commands.cc
Answer GeoAdd(Call& call);
Answer GeoDist(Call& call);
Answer GeoHash(Call& call);
Answer GeoPos(Call& call);

// geo_search.cc
Answer GeoRadius(Call& call);
Answer GeoRadiusByMember(Call& call);
Answer GeoRadiusReadOnly(Call& call);
Answer GeoRadiusByMemberReadOnly(Call& call);
Answer GeoSearch(Call& call);
Answer GeoSearchStore(Call& call);

}  // namespace mayfly::server
