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

// A disk is small if a quarter of it is less than this. What a small disk has for the time when it is
// full is the reserve, or as much without one: so many write buffers of a role fit into that, and so
// many times all logs, or all that is in memory.
inline constexpr std::uint64_t kSmallDiskRoom = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kWriteBuffersOfReserve = 16;
inline constexpr std::uint64_t kUnflushedOfReserve = 4;
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

// While a reserve is given up, a commit leaves room to write out what is in memory, and what that
// needs for manifests, logs and the ends of tables. One that deletes row by row leaves more, and this
// part of the reserve, so that a range can still be deleted and a piece compacted when rows cannot be
// deleted. A commit takes so many times its bytes: in the log, the next one, and a table.
inline constexpr std::uint64_t kFlushMargin = std::uint64_t{512} << 10;
inline constexpr std::uint64_t kRangeDeleteMargin = std::uint64_t{256} << 10;
inline constexpr std::uint64_t kRowDeleteMargin = std::uint64_t{512} << 10;
inline constexpr std::uint64_t kReserveLeftByRowDeletes = 8;
inline constexpr std::uint64_t kCommitTakes = 4;

// A commit that would leave less waits for rounds, this long, and looks for room so often: a test's
// clock may stand still. If that was in vain, the next ones do not wait for a while.
inline constexpr Millis kRoomPatience{1500};
inline constexpr int kRoomLooksMax = 75;
inline constexpr Millis kVainPause{1000};

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

// On a full disk, compactions leave this part of the reserve to deletes and flushes, and not less
// than kRoomWithoutReserve.
inline constexpr std::uint64_t kReserveLeftByCompactions = 4;

// What a compaction's table owns from its beginning: more than one without pairs has.
inline constexpr std::uint64_t kTableRoomOwned = std::uint64_t{64} << 10;

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
