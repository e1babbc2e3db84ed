// limits.h - the bounds of values of items.
#pragma once

#include <cstddef>

namespace mayfly::items {

// Of a number: its significant digits, and the power of ten of the first one.
inline constexpr int kNumberDigitsMax = 38;
inline constexpr int kNumberPowerMin = -130;
inline constexpr int kNumberPowerMax = 125;
static_assert(kNumberPowerMax - kNumberPowerMin == 255, "the power is one byte of a key");

// Nesting of lists and maps in a stored item. More than requests may have, and few enough for a
// reader that recurses once per level.
inline constexpr std::size_t kStoredDepthMax = 64;

}  // namespace mayfly::items
