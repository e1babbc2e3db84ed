// limits.h - the bounds of what the rocks engine does at a time.
#pragma once

#include <cstddef>

#include "mayfly/clock.h"

namespace mayfly::engine {

// How often, and how long apart, Flush() looks whether RocksDB's threads have removed old files.
inline constexpr int kLogLooksMax = 2000;
inline constexpr int kTableLooksMax = 200;
inline constexpr Millis kRemovalPause{5};

// Bytes of a file that Find() reads at a time.
inline constexpr std::size_t kFindChunkBytes = std::size_t{1} << 20;

// How often Find() begins again because a file went away before it was opened.
inline constexpr int kFindPassesMax = 16;

}  // namespace mayfly::engine
