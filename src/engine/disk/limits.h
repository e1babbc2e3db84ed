// limits.h - the bounds of engines on a full disk.
#pragma once

#include <cstdint>

#include "mayfly/clock.h"

namespace mayfly::engine {

// The reserve for a full disk is at most this part of the disk; and the pause between checks for
// room.
inline constexpr std::uint64_t kReserveShareOfDisk = 4;
inline constexpr Millis kReserveLookPause{20};

// A reserve that was given up is kept again when there is room for it and this part of it besides.
inline constexpr std::uint64_t kReserveRoomToSpare = 8;

// A disk is small if a quarter of it is less than this. What a small disk has for the time when it is
// full is the reserve, or as much without one: buffers and logs are a part of that.
inline constexpr std::uint64_t kSmallDiskRoom = std::uint64_t{64} << 20;

// Without a reserve: a full disk counts as having room again from this many free bytes on. With and
// without one, resuming RocksDB needs as many at least.
inline constexpr std::uint64_t kRoomWithoutReserve = std::uint64_t{1} << 20;

// On a full disk, compactions leave this part of the reserve to deletes and flushes, and not less
// than kRoomWithoutReserve.
inline constexpr std::uint64_t kReserveLeftByCompactions = 4;

// While a reserve is given up, a commit leaves room to write out what is in memory, and what that
// needs for manifests, logs and the ends of tables. One that deletes row by row leaves more, and this
// part of the reserve, so that a range can still be deleted and a piece compacted when rows cannot be
// deleted.
inline constexpr std::uint64_t kFlushMargin = std::uint64_t{512} << 10;
inline constexpr std::uint64_t kRangeDeleteMargin = std::uint64_t{256} << 10;
inline constexpr std::uint64_t kRowDeleteMargin = std::uint64_t{512} << 10;
inline constexpr std::uint64_t kReserveLeftByRowDeletes = 8;

// A commit takes so many times its bytes: in the log, the next one, and a table.
inline constexpr std::uint64_t kCommitTakes = 4;

// The pauses between rounds that make room. A round is followed by a pause that is so many times as
// long, within these bounds.
inline constexpr Millis kRoundPauseMin{1000};
inline constexpr Millis kRoundPauseMax{8000};
inline constexpr int kRoundShare = 4;

// A commit that makes room and finds none waits for rounds, this long, and looks for room so often: a
// test's clock may stand still. If that was in vain, the next ones do not wait for a while.
inline constexpr Millis kRoomPatience{1500};
inline constexpr int kRoomLooksMax = 75;
inline constexpr Millis kVainPause{1000};

// Bytes that a commit may add for each row or member it deletes, and bytes that a commit for
// housekeeping may add.
inline constexpr std::uint64_t kFullDiskBytesPerDelete = 256;
inline constexpr std::uint64_t kFullDiskHousekeepingBytes = 4096;

}  // namespace mayfly::engine
