#include "types/hyperloglog/registers.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace mayfly::types {
namespace {

constexpr std::uint64_t kHashSeed = 0xadc83b19;

std::uint64_t LittleEndian(const char* bytes, std::size_t count) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

// MurmurHash2 in its variant of 64 bits.
std::uint64_t HashOf(Bytes element) {
  constexpr std::uint64_t kMultiplier = 0xc6a4a7935bd1e995;
  constexpr unsigned kShift = 47;
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::uint64_t hash = kHashSeed ^ (element.size() * kMultiplier);
  const std::size_t whole = element.size() / kWord * kWord;
  for (std::size_t at = 0; at < whole; at += kWord) {
    std::uint64_t word = LittleEndian(element.data() + at, kWord) * kMultiplier;
    word ^= word >> kShift;
    hash = (hash ^ (word * kMultiplier)) * kMultiplier;
  }
  if (const std::size_t rest = element.size() - whole; rest > 0) {
    hash = (hash ^ LittleEndian(element.data() + whole, rest)) * kMultiplier;
  }
  hash = (hash ^ (hash >> kShift)) * kMultiplier;
  return hash ^ (hash >> kShift);
}

// The corrections of Ertl's estimator (arXiv 1702.01284) for registers that met nothing, and for
// those at the highest rank. Both sums are added up until they no longer change.
double Sigma(double x) {
  if (x == 1.0) return std::numeric_limits<double>::infinity();
  double weight = 1;
  double sum = x;
  for (double before = -1; before != sum;) {
    x *= x;
    before = sum;
    sum += x * weight;
    weight += weight;
  }
  return sum;
}

double Tau(double x) {
  if (x == 0.0 || x == 1.0) return 0;
  double weight = 1;
  double sum = 1 - x;
  for (double before = -1; before != sum;) {
    x = std::sqrt(x);
    before = sum;
    weight *= 0.5;
    sum -= std::pow(1 - x, 2) * weight;
  }
  return sum / 3;
}

}  // namespace

Observation Observe(Bytes element) {
  const std::uint64_t hash = HashOf(element);
  // The bit behind the last one ends the search.
  const std::uint64_t rest = hash >> kIndexBits | std::uint64_t{1} << (kRankMax - 1);
  return {.index = static_cast<std::uint32_t>(hash & (kRegisters - 1)),
          .rank = static_cast<std::uint8_t>(std::countr_zero(rest) + 1)};
}

RegisterCounts CountsOf(const Registers& registers) {
  RegisterCounts counts = {};
  for (const std::uint8_t one : registers) ++counts[one & kRegisterMax];
  return counts;
}

std::uint64_t Estimate(const RegisterCounts& counts) {
  constexpr double kAlpha = 0.721347520444481703680;  // 1 / (2 ln 2).
  constexpr double kAll = kRegisters;
  double z = kAll * Tau((kAll - counts[kRankMax]) / kAll);
  for (unsigned rank = kRankMax - 1; rank >= 1; --rank) {
    z += counts[rank];
    z *= 0.5;
  }
  z += kAll * Sigma(counts[0] / kAll);
  const double estimate = kAlpha * kAll * kAll / z;
  // All registers at the end of their range, which takes bytes that no element has made.
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  if (!(estimate < static_cast<double>(kMost))) return kMost;
  return static_cast<std::uint64_t>(std::llround(estimate));
}

}  // namespace mayfly::types
