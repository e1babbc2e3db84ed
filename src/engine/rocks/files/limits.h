// limits.h - the bounds of the rocks engine's loops and reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/disk/limits.h"
#include "mayfly/clock.h"

namespace mayfly::engine {

// How often, and how long apart, Flush() checks whether RocksDB's threads have removed old files.
inline constexpr int kLogLooksMax = 2000;
inline constexpr int kTableLooksMax = 200;
inline constexpr Millis kRemovalPause{5};

// On a small disk: so many write buffers of a role fit into the reserve, or into as much without one,
// and so many times all logs, or all that is in memory.
inline constexpr std::uint64_t kWriteBuffersOfReserve = 16;
inline constexpr std::uint64_t kUnflushedOfReserve = 4;
inline constexpr std::size_t kWriteBufferBytesMin = std::size_t{64} << 10;

// A round flushes and rewrites if that may free this part of the reserve, within these bounds. It
// rewrites no role that has more bytes than the last figure: that would take long, and the reaper
// does it file by file.
inline constexpr std::uint64_t kWorthOfReserve = 16;
inline constexpr std::uint64_t kWorthBytesMin = std::uint64_t{64} << 10;
inline constexpr std::uint64_t kWorthBytesMax = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kFullDiskRewriteBytesMax = std::uint64_t{1} << 30;

// On a full disk: how often a commit is tried while RocksDB slows commits down.
inline constexpr int kSlowCommitAttemptsMax = 300;

// On a full disk: fewer young files of a role are left to RocksDB. So many pieces are compacted in a
// round; see compaction_piece.h. Their files above the last level are this part of a file, so that
// each meets few files below.
inline constexpr std::size_t kPieceYoungFilesMin = 4;
inline constexpr int kPiecesMax = 8;
inline constexpr std::uint64_t kPieceFilesPerFile = 8;

// What a pair takes in a table besides its bytes, at most.
inline constexpr std::uint64_t kStoredPairOverhead = 32;

// What a compaction's table owns from its beginning: more than one without pairs has.
inline constexpr std::uint64_t kTableRoomOwned = std::uint64_t{64} << 10;

// Log room that is taken at a time, and what is left of it at least; see log_room.h.
inline constexpr std::uint64_t kLogRoomChunk = std::uint64_t{256} << 10;
inline constexpr std::uint64_t kLogRoomSpare = std::uint64_t{64} << 10;

// RocksDB has begun to resume this long after the call; see flush_gate.h.
inline constexpr Millis kResumeBegins{100};

// Recovery needs this many bytes for manifests and the ends of tables, besides the rows in the logs.
inline constexpr std::uint64_t kRecoveryBytesMin = std::uint64_t{1} << 20;

// Bytes of a file that Find() reads at a time.
inline constexpr std::size_t kFindChunkBytes = std::size_t{1} << 20;

// How often Find() begins again because a file was removed before it was opened.
inline constexpr int kFindPassesMax = 16;

}  // namespace mayfly::engine
