#include "server/commands/geo/geo_arguments.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "server/command/arguments.h"
#include "server/command/long_double.h"
#include "server/commands/sorted_sets/sorted_set_arguments.h"

namespace mayfly::server {

Result<types::GeoPoint> PointArgument(Bytes longitude, Bytes latitude) {
  types::GeoPoint point = {};
  MAYFLY_TRY(point.longitude, ScoreArgument(longitude));
  MAYFLY_TRY(point.latitude, ScoreArgument(latitude));
  if (types::IsOnGrid(point)) return point;
  return Status::Invalid(
      fmt::format("invalid longitude,latitude pair {:f},{:f}", point.longitude, point.latitude));
}

Result<double> UnitArgument(Bytes argument) {
  constexpr double kKilometre = 1000;
  constexpr double kFoot = 0.3048;
  constexpr double kMile = 1609.34;
  if (IsWord(argument, "m")) return 1;
  if (IsWord(argument, "km")) return kKilometre;
  if (IsWord(argument, "ft")) return kFoot;
  if (IsWord(argument, "mi")) return kMile;
  return Status::Invalid("unsupported unit provided. please use M, KM, FT, MI");
}

Result<double> NumericArgument(Bytes argument, std::string_view what) {
  const Result<double> number = ScoreArgument(argument);
  if (!number) return Status::Invalid(fmt::format("need numeric {}", what));
  return *number;
}

void WriteLength(Call& call, double length) {
  // Scaled and then rounded, as Redis does; printing would round other numbers up.
  constexpr std::int64_t kScale = 10'000;
  const std::int64_t scaled = std::llrint(length * static_cast<double>(kScale));
  call.reply.Bulk(fmt::format("{}.{:04}", scaled / kScale, scaled % kScale));
}

void WritePoint(Call& call, const types::GeoPoint& point) {
  call.reply.Array(2);
  call.reply.DoubleText(WriteLongDouble(point.longitude));
  call.reply.DoubleText(WriteLongDouble(point.latitude));
}

}  // namespace mayfly::server
