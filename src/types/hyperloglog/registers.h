// registers.h - what a HyperLogLog counts: how elements become registers, and registers an estimate.
// An element is hashed. 14 bits of the hash choose a register; the position of the first one among
// the other 50 is the element's rank, and a register keeps the highest rank it has met. The more
// different elements there were, the higher the ranks.
// Invariant: hash, registers and estimate are those of Redis, to the bit, because values move
// between the two and applications compare counts. Stored; never change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mayfly/bytes.h"

namespace mayfly::types {

inline constexpr unsigned kIndexBits = 14;
inline constexpr std::size_t kRegisters = std::size_t{1} << kIndexBits;

// Ranks of elements are 1 to 51; a register without any is 0. Stored ones have room for 63.
inline constexpr unsigned kRankMax = 64 - kIndexBits + 1;
inline constexpr unsigned kRegisterBits = 6;
inline constexpr unsigned kRegisterMax = (1U << kRegisterBits) - 1;

struct Observation {
  std::uint32_t index;
  std::uint8_t rank;
};

Observation Observe(Bytes element);

// One byte per register, for unions.
using Registers = std::array<std::uint8_t, kRegisters>;

// How many registers have each value.
using RegisterCounts = std::array<std::uint32_t, kRegisterMax + 1>;

RegisterCounts CountsOf(const Registers& registers);

// How many different elements there were, about: the standard error is 0.81 %.
std::uint64_t Estimate(const RegisterCounts& counts);

}  // namespace mayfly::types
