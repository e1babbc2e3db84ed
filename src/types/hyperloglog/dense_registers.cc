#include "types/hyperloglog/dense_registers.h"

#include <algorithm>

namespace mayfly::types {
namespace {

constexpr std::size_t kGroupBytes = 3;  // Of four registers.
constexpr std::size_t kGroupRegisters = kGroupBytes * 8 / kRegisterBits;

std::uint32_t GroupAt(Bytes dense, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(dense[at + i])};
  };
  return byte(0) | byte(1) << 8 | byte(2) << 16;
}

unsigned ShiftOf(std::size_t index) {
  return static_cast<unsigned>(index % kGroupRegisters) * kRegisterBits;
}

}  // namespace

std::uint8_t DenseRegister(Bytes dense, std::size_t index) {
  const std::uint32_t group = GroupAt(dense, index / kGroupRegisters * kGroupBytes);
  return static_cast<std::uint8_t>(group >> ShiftOf(index) & kRegisterMax);
}

void SetDenseRegister(std::span<char, kDenseBytes> dense, std::size_t index, std::uint8_t value) {
  const std::size_t at = index / kGroupRegisters * kGroupBytes;
  std::uint32_t group = GroupAt(Bytes(dense.data(), dense.size()), at);
  group &= ~(std::uint32_t{kRegisterMax} << ShiftOf(index));
  group |= std::uint32_t{value} << ShiftOf(index);
  for (std::size_t i = 0; i < kGroupBytes; ++i) {
    dense[at + i] = static_cast<char>(group >> (8 * i) & 0xff);
  }
}

RegisterCounts CountDense(Bytes dense) {
  // Four tables: neighbours are often alike, and would wait for each other at one counter.
  std::array<RegisterCounts, kGroupRegisters> counts = {};
  for (std::size_t at = 0; at < kDenseBytes; at += kGroupBytes) {
    const std::uint32_t group = GroupAt(dense, at);
    for (std::size_t i = 0; i < kGroupRegisters; ++i) {
      ++counts[i][group >> (i * kRegisterBits) & kRegisterMax];
    }
  }
  for (std::size_t value = 0; value <= kRegisterMax; ++value) {
    for (std::size_t i = 1; i < kGroupRegisters; ++i) counts[0][value] += counts[i][value];
  }
  return counts[0];
}

void MergeDense(Bytes dense, Registers& registers) {
  for (std::size_t index = 0; index < kRegisters; index += kGroupRegisters) {
    const std::uint32_t group = GroupAt(dense, index / kGroupRegisters * kGroupBytes);
    for (std::size_t i = 0; i < kGroupRegisters; ++i) {
      const auto value = static_cast<std::uint8_t>(group >> (i * kRegisterBits) & kRegisterMax);
      registers[index + i] = std::max(registers[index + i], value);
    }
  }
}

}  // namespace mayfly::types
