// score.h - encodes scores as bytes that sort as the numbers do.
//   u64 big endian: the bits of the double, of which a positive one has the sign bit flipped, a
//   negative one all bits
// So byte order is number order, from -inf to inf. -0 becomes 0: equal scores have equal bytes. nan
// is no score. Stored; never changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::types {

inline constexpr std::size_t kScoreBytes = 8;

// Ascends with the score: no score lies between those of n and n + 1.
std::uint64_t OrderOfScore(double score);

std::string ScoreBytes(double score);

// The score that the bytes begin with. Corruption when they are too short, or nan.
Result<double> ScoreOf(Bytes bytes);

}  // namespace mayfly::types
