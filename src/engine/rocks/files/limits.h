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

// On a full disk: the pauses between rounds that make room. A round is followed by a pause that is
// so many times as long, within these bounds.
inline constexpr Millis kRoundPauseMin{1000};
inline constexpr Millis kRoundPauseMax{8000};
inline constexpr int kRoundShare = 4;

// A round flushes and rewrites if that may free this part of the reserve, within these bounds. It
// rewrites no role that has more bytes than the last figure: that would take long, and the reaper
// does it file by file.
inline constexpr std::uint64_t kWorthOfReserve = 16;
inline constexpr std::uint64_t kWorthBytesMin = std::uint64_t{64} << 10;
inline constexpr std::uint64_t kWorthBytesMax = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kFullDiskRewriteBytesMax = std::uint64_t{1} << 30;

// What a pair takes in a table besides its bytes, at most.
inline constexpr std::uint64_t kStoredPairOverhead = 32;

// On a full disk, compactions leave this part of the reserve to deletes and flushes, and not less
// than kRoomWithoutReserve.
inline constexpr std::uint64_t kReserveLeftByCompactions = 4;

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
