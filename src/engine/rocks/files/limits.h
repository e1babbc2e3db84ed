// limits.h - the bounds of the rocks engine's loops and reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mayfly/clock.h"

namespace mayfly::engine {

// How often, and how long apart, Flush() checks whether RocksDB's threads have removed old files.
inline constexpr int kLogLooksMax = 2000;
inline constexpr int kTableLooksMax = 200;
inline constexpr Millis kRemovalPause{5};

// The reserve for a full disk is at most this part of the disk; and the pause between checks for
// room.
inline constexpr std::uint64_t kReserveShareOfDisk = 4;
inline constexpr Millis kReserveLookPause{20};

// A reserve that was given up is kept again when there is room for it and this part of it besides.
inline constexpr std::uint64_t kReserveRoomToSpare = 8;

// On a disk too small for the reserve that was asked for: so many write buffers fit into it.
inline constexpr std::uint64_t kWriteBuffersOfReserve = 16;
inline constexpr std::size_t kWriteBufferBytesMin = std::size_t{64} << 10;

// Without a reserve: a full disk counts as having room again from this many free bytes on. With and
// without one, resuming RocksDB needs as many at least.
inline constexpr std::uint64_t kRoomWithoutReserve = std::uint64_t{1} << 20;

// Log room that is taken at a time, and what is left of it at least; see log_room.h.
inline constexpr std::uint64_t kLogRoomChunk = std::uint64_t{256} << 10;
inline constexpr std::uint64_t kLogRoomSpare = std::uint64_t{64} << 10;

// RocksDB has begun to resume this long after it was told to; see flush_gate.h.
inline constexpr Millis kResumeBegins{100};

// Recovery needs this many bytes for manifests and the ends of tables, besides the rows in the logs.
inline constexpr std::uint64_t kRecoveryBytesMin = std::uint64_t{1} << 20;

// On a full disk: bytes that a commit may add for each row or member it deletes, and bytes that a
// commit for housekeeping may add.
inline constexpr std::uint64_t kFullDiskBytesPerDelete = 256;
inline constexpr std::uint64_t kFullDiskHousekeepingBytes = 4096;

// Bytes of a file that Find() reads at a time.
inline constexpr std::size_t kFindChunkBytes = std::size_t{1} << 20;

// How often Find() begins again because a file was removed before it was opened.
inline constexpr int kFindPassesMax = 16;

}  // namespace mayfly::engine
