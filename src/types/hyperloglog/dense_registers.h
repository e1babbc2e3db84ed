// dense_registers.h - all registers side by side, six bits each, the lowest bits of a byte first.
// Stored, as in Redis: 12,288 bytes. A caller gives exactly as many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "types/hyperloglog/registers.h"

namespace mayfly::types {

inline constexpr std::size_t kDenseBytes = kRegisters * kRegisterBits / 8;

std::uint8_t DenseRegister(Bytes dense, std::size_t index);
void SetDenseRegister(std::span<char, kDenseBytes> dense, std::size_t index, std::uint8_t value);

RegisterCounts CountDense(Bytes dense);

// Raises each register to that of `dense`.
void MergeDense(Bytes dense, Registers& registers);

}  // namespace mayfly::types
