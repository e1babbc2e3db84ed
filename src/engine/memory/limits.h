// limits.h - the bounds of one step of the memory engine.
#pragma once

#include <cstddef>

namespace mayfly::engine {

// Keys a compaction judges before it releases the lock to readers and commits.
inline constexpr std::size_t kCompactStepKeys = 1024;

}  // namespace mayfly::engine
