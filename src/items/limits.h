// limits.h - what bounds the values of items.
#pragma once

#include <cstddef>

namespace mayfly::items {

// Of a number: its significant digits, and the power of ten of the first one.
inline constexpr int kNumberDigitsMax = 38;
inline constexpr int kNumberPowerMin = -130;
inline constexpr int kNumberPowerMax = 125;
static_assert(kNumberPowerMax - kNumberPowerMin == 255, "the power is one byte of a key");

// Levels of lists and maps within each other that a stored item may have. More than requests may
// have, and few enough for a reader that calls itself once per level.
inline constexpr std::size_t kStoredDepthMax = 64;

}  // namespace mayfly::items
