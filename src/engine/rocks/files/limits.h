// limits.h - the bounds of what the rocks engine does at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mayfly/clock.h"

namespace mayfly::engine {

// How often, and how long apart, Flush() looks whether RocksDB's threads have removed old files.
inline constexpr int kLogLooksMax = 2000;
inline constexpr int kTableLooksMax = 200;
inline constexpr Millis kRemovalPause{5};

// What is set aside for a full disk is at most this part of it; and how long apart room for it is
// looked for.
inline constexpr std::uint64_t kReserveShareOfDisk = 4;
inline constexpr Millis kReserveLookPause{20};

// Without a reserve: a disk that was met full has room again from so many free bytes on.
inline constexpr std::uint64_t kRoomWithoutReserve = std::uint64_t{1} << 20;

// On a full disk: bytes that a commit may bring for each row or member it takes away, and one that
// does housekeeping.
inline constexpr std::uint64_t kFullDiskBytesPerDelete = 256;
inline constexpr std::uint64_t kFullDiskHousekeepingBytes = 4096;

// Bytes of a file that Find() reads at a time.
inline constexpr std::size_t kFindChunkBytes = std::size_t{1} << 20;

// How often Find() begins again because a file went away before it was opened.
inline constexpr int kFindPassesMax = 16;

}  // namespace mayfly::engine
