#include "types/geo/geo_cell.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace mayfly::types {
namespace {

// Degrees from end to end.
struct Axis {
  double min;
  double max;

  double length() const { return max - min; }
};

constexpr Axis kLongitudes{-kLongitudeMax, kLongitudeMax};
constexpr Axis kLatitudes{-kLatitudeMax, kLatitudeMax};
constexpr Axis kAllLatitudes{-90, 90};  // Of geohashes that others write.

constexpr std::uint64_t kLastBits = 0x5555555555555555;

// Puts each bit at twice its position.
std::uint64_t Spread(std::uint32_t bits) {
  std::uint64_t spread = bits;
  spread = (spread | spread << 16) & 0x0000ffff0000ffff;
  spread = (spread | spread << 8) & 0x00ff00ff00ff00ff;
  spread = (spread | spread << 4) & 0x0f0f0f0f0f0f0f0f;
  spread = (spread | spread << 2) & 0x3333333333333333;
  return (spread | spread << 1) & kLastBits;
}

std::uint32_t Gather(std::uint64_t spread) {
  spread &= kLastBits;
  spread = (spread | spread >> 1) & 0x3333333333333333;
  spread = (spread | spread >> 2) & 0x0f0f0f0f0f0f0f0f;
  spread = (spread | spread >> 4) & 0x00ff00ff00ff00ff;
  spread = (spread | spread >> 8) & 0x0000ffff0000ffff;
  return static_cast<std::uint32_t>(spread | spread >> 16);
}

std::uint64_t BitsOf(const GeoCell& cell) { return Spread(cell.column) << 1 | Spread(cell.row); }

// A cell's number along an axis. At the axis' very end it is one too many, as in Redis.
std::uint32_t IndexOf(double degrees, const Axis& axis, unsigned steps) {
  const double share = (degrees - axis.min) / axis.length();
  return static_cast<std::uint32_t>(share * static_cast<double>(std::uint64_t{1} << steps));
}

GeoCell CellOn(const GeoPoint& point, const Axis& latitudes, unsigned steps) {
  return {.column = IndexOf(point.longitude, kLongitudes, steps),
          .row = IndexOf(point.latitude, latitudes, steps),
          .steps = steps};
}

// Where a cell begins along an axis.
double BeginOf(std::uint32_t index, const Axis& axis, unsigned steps) {
  const double share = index * 1.0 / static_cast<double>(std::uint64_t{1} << steps);
  return axis.min + share * axis.length();
}

// Numbers that are no scores become bits as processors convert them, as Redis leaves it to them.
std::uint64_t ScoreBits(double score) {
  constexpr double kTwo63 = 9223372036854775808.0;
  if (score >= kTwo63) {
    return score < 2 * kTwo63 ? static_cast<std::uint64_t>(score) : std::uint64_t{0};
  }
  return static_cast<std::uint64_t>(WholeScore(score));
}

}  // namespace

bool IsOnGrid(const GeoPoint& point) {
  return point.longitude >= kLongitudes.min && point.longitude <= kLongitudes.max &&
         point.latitude >= kLatitudes.min && point.latitude <= kLatitudes.max;
}

GeoCell CellOf(const GeoPoint& point, unsigned steps) { return CellOn(point, kLatitudes, steps); }

GeoBounds BoundsOf(const GeoCell& cell) {
  return {.west = BeginOf(cell.column, kLongitudes, cell.steps),
          .south = BeginOf(cell.row, kLatitudes, cell.steps),
          .east = BeginOf(cell.column + 1, kLongitudes, cell.steps),
          .north = BeginOf(cell.row + 1, kLatitudes, cell.steps)};
}

GeoCell Neighbour(const GeoCell& cell, int columns, int rows) {
  const std::uint32_t mask = (std::uint32_t{1} << cell.steps) - 1;
  const auto moved = [&](std::uint32_t index, int by) {
    return by == 0 ? index : (index + static_cast<std::uint32_t>(by)) & mask;
  };
  return {.column = moved(cell.column, columns), .row = moved(cell.row, rows), .steps = cell.steps};
}

GeoScores ScoresOf(const GeoCell& cell) {
  const unsigned shift = 2 * (kScoreSteps - cell.steps);
  const std::uint64_t bits = BitsOf(cell);
  return {.first = static_cast<double>(bits << shift),
          .end = static_cast<double>((bits + 1) << shift)};
}

double ScoreOfPoint(const GeoPoint& point) {
  return static_cast<double>(BitsOf(CellOf(point, kScoreSteps)));
}

GeoPoint PointOfScore(double score) {
  const std::uint64_t bits = ScoreBits(score);
  const GeoBounds bounds =
      BoundsOf({.column = Gather(bits >> 1), .row = Gather(bits), .steps = kScoreSteps});
  return {
      .longitude = std::clamp((bounds.west + bounds.east) / 2, kLongitudes.min, kLongitudes.max),
      .latitude = std::clamp((bounds.south + bounds.north) / 2, kLatitudes.min, kLatitudes.max)};
}

std::int64_t WholeScore(double score) {
  constexpr double kTwo63 = 9223372036854775808.0;
  const bool fits = score >= -kTwo63 && score < kTwo63;
  return fits ? static_cast<std::int64_t>(score) : std::numeric_limits<std::int64_t>::min();
}

std::string GeohashOf(const GeoPoint& point) {
  constexpr std::string_view kDigits = "0123456789bcdefghjkmnpqrstuvwxyz";
  constexpr unsigned kDigitBits = 5;
  constexpr unsigned kBits = 2 * kScoreSteps;
  const std::uint64_t bits = BitsOf(CellOn(point, kAllLatitudes, kScoreSteps));
  std::string text;
  for (unsigned used = kDigitBits; used <= kBits; used += kDigitBits) {
    text += kDigits[bits >> (kBits - used) & (kDigits.size() - 1)];
  }
  return text + '0';
}

}  // namespace mayfly::types
