// limits.h - the bounds of the reader beside a memory-first writer.
#pragma once

#include <chrono>
#include <cstdint>

namespace mayfly::engine::hot {

// Bytes of a segment that are read at once, unless a record is longer.
inline constexpr std::uint64_t kTailReadBytes = std::uint64_t{256} << 10;

// A header that is damaged is read so often, with this pause, before it counts as damaged: the
// writer may be writing it.
inline constexpr int kHeaderReadsMax = 100;
inline constexpr std::chrono::milliseconds kHeaderPause{1};

// How often one refresh builds its rows anew, while the writer removes segments that it needs.
inline constexpr int kBuildsMax = 100;

}  // namespace mayfly::engine::hot
