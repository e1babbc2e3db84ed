// bits.h - strings as arrays of bits. Bit 0 is the highest of the first byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly::server {

// Bits in [begin, end), which lies within the bytes.
struct BitRange {
  std::uint64_t begin;
  std::uint64_t end;
};

inline std::uint64_t BitsOf(Bytes bytes) { return std::uint64_t{bytes.size()} * 8; }

// False behind the end.
bool BitAt(Bytes bytes, std::uint64_t bit);

// `bit` must lie within the bytes.
void SetBitAt(std::string& bytes, std::uint64_t bit, bool on);

std::uint64_t CountOnes(Bytes bytes, BitRange range);

// The first bit in the range that equals `on`.
std::optional<std::uint64_t> FindBit(Bytes bytes, BitRange range, bool on);

}  // namespace mayfly::server
