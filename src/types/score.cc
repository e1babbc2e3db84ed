#include "types/score.h"

#include <bit>
#include <cmath>

#include "base/coding.h"

namespace mayfly::types {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

}  // namespace

std::uint64_t OrderOfScore(double score) {
  const auto bits = std::bit_cast<std::uint64_t>(score == 0 ? 0.0 : score);
  return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
}

std::string ScoreBytes(double score) {
  std::string bytes;
  AppendBigEndian64(bytes, OrderOfScore(score));
  return bytes;
}

Result<double> ScoreOf(Bytes bytes) {
  std::uint64_t order = 0;
  if (!EatBigEndian64(bytes, order)) {
    return Status::Corruption("a member of a sorted set has no score; run a check");
  }
  const auto score = std::bit_cast<double>((order & kSignBit) != 0 ? order & ~kSignBit : ~order);
  if (std::isnan(score)) return Status::Corruption("a score is not a number; run a check");
  return score;
}

}  // namespace mayfly::types
