// limits.h - the bounds of what the memory engine does at a time.
#pragma once

#include <cstddef>

namespace mayfly::engine {

// Keys a compaction judges before it lets readers and commits in again.
inline constexpr std::size_t kCompactStepKeys = 1024;

}  // namespace mayfly::engine
