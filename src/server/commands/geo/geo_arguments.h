// geo_arguments.h - parses coordinates and lengths, and writes them.
#pragma once

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "server/command/command.h"
#include "types/geo/geo_cell.h"

namespace mayfly::server {

// A point on the grid.
Result<types::GeoPoint> PointArgument(Bytes longitude, Bytes latitude);

// How many metres a unit has: m, km, ft or mi.
Result<double> UnitArgument(Bytes argument);

// The error is "need numeric WHAT".
Result<double> NumericArgument(Bytes argument, std::string_view what);

// With four digits behind the point, as text in both protocols.
void WriteLength(Call& call, double length);

// An array of longitude and latitude.
void WritePoint(Call& call, const types::GeoPoint& point);

}  // namespace mayfly::server
