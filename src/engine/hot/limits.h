// limits.h - the bounds of the memory-first engine.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace mayfly::engine::hot {

// One commit of a fold to the cold store.
inline constexpr std::size_t kFoldBatchBytesMax = std::size_t{512} << 10;
inline constexpr std::size_t kFoldBatchChangesMax = 1024;

// The same while the reserve of a full disk is given up, and on a small disk: the cold store asks for
// room for several times as much. Beside it, a fold is begun only with room for so many times the
// rows of its segment: in the cold store's log, the next one, and a table.
inline constexpr std::size_t kShortFoldBatchBytes = std::size_t{64} << 10;
inline constexpr std::uint64_t kFoldTakes = 3;

// Segments are shorter than usual on a disk that is nearly full: this part of what is free, or of a
// reserve that was given up, but not less than the last figure.
inline constexpr std::uint64_t kSegmentsOfFreeSpace = 8;
inline constexpr std::uint64_t kSegmentsOfReserve = 64;
inline constexpr std::uint64_t kShortSegmentBytes = std::uint64_t{64} << 10;

// On any disk a segment is at most this part of a quarter of it, or of a small disk's reserve, and so
// is the log of closed segments.
inline constexpr std::uint64_t kSegmentsOfRoom = 16;
inline constexpr std::uint64_t kLogsOfRoom = 4;

// How a fold waits for purges: about so many changes of a segment are looked at, again after this
// pause; one part in so many must be about to go; if none went for so long, the wait is in vain, and
// the next one begins only after a pause.
inline constexpr std::size_t kPurgeSampleMax = 4096;
inline constexpr std::chrono::milliseconds kPurgeLookPause{5};
inline constexpr std::size_t kPurgeWaitShare = 32;
inline constexpr std::chrono::milliseconds kPurgeWaitMax{1000};
inline constexpr std::chrono::milliseconds kPurgeWaitPause{10'000};

// Dead rows that are removed by one commit.
inline constexpr std::size_t kDropRowsMax = 256;

// Range deletes that the cold store lacks; from here on the log is folded, however short it is.
// Every read of the cold store looks at all of them.
inline constexpr std::size_t kPendingRangesMax = 1000;

// From this many times its bound on, the log slows commits down.
inline constexpr std::uint64_t kLogSlowFactor = 2;

// A commit waits so long for the log or the memory to shrink, and then goes on.
inline constexpr std::chrono::milliseconds kSlowCommitWait{20};

// Between two tries of a fold that failed.
inline constexpr std::chrono::milliseconds kFoldRetryPause{500};

// Retired rows that are looked at when a snapshot or cursor goes.
inline constexpr std::size_t kReclaimAfterState = 256;

// The budget of memory, in 32nds. Used memory above the second bound makes rows leave, down to the
// first one; above the third no row comes from the cold store; above the fourth, commits wait. What
// is left is the room that slabs cannot use.
inline constexpr std::uint64_t kBudgetParts = 32;
inline constexpr std::uint64_t kEvictedParts = 26;
inline constexpr std::uint64_t kEvictFromParts = 28;
inline constexpr std::uint64_t kAdmitUntilParts = 29;
inline constexpr std::uint64_t kStopFromParts = 30;
inline constexpr std::uint64_t kSparseFromParts = 31;
// Commits wait for no smaller budget than this: what an open transaction reads and writes must fit.
inline constexpr std::uint64_t kStopBytesMin = std::uint64_t{8} << 20;
// Slabs are emptied if the process has more memory than the last bound, and more than this beside what
// it uses and a slab for each size of rows.
inline constexpr std::uint64_t kSparseBytesMin = std::uint64_t{1} << 20;

// Rows that one step of the eviction visits. While more than one in so many rows is a newcomer, these
// are asked first.
inline constexpr std::size_t kEvictStepRows = 256;
inline constexpr std::size_t kNewcomerShare = 10;

// Steps in a row that met no clean row: the rest is likely to be dirty, and has to be folded first.
inline constexpr std::size_t kEvictVainStepsMax = 256;

// Slabs that are emptied in a row before the thread looks after its other work.
inline constexpr std::size_t kEmptySlabsMax = 64;

// Keys that are remembered because they were missed: one for so many bytes of the budget.
inline constexpr std::uint64_t kMissedKeyBytes = 256;

// One step of the load after opening; and how many steps in a row may be made in vain, because rows
// leave memory, before it is given up.
inline constexpr std::size_t kLoadStepRows = 1024;
inline constexpr std::size_t kLoadStepBytes = std::size_t{1} << 20;
inline constexpr int kLoadRetriesMax = 1000;

// One commit in so many adds its bytes to the count that wakes the thread, for all of them. Longer
// records are always counted.
inline constexpr std::uint64_t kCountedCommits = 16;
inline constexpr std::size_t kCountedPayloadBytes = std::size_t{16} << 10;

// With addresses for fewer bytes of rows a database is not opened.
inline constexpr std::size_t kReservedBytesMin = std::size_t{64} << 20;

// Bytes that a row takes in memory beside its key and value.
inline constexpr std::size_t kRowOverhead = 48;

// Buffers for records that a thread keeps between commits.
inline constexpr std::size_t kPayloadBufferMax = std::size_t{64} << 10;

// How often a get that found nothing looks again, because rows left memory meanwhile, before it opens
// a state.
inline constexpr int kGetTries = 3;

// How often a MultiGet reads on while commits go on, before it opens a state.
inline constexpr int kMultiGetTries = 2;

}  // namespace mayfly::engine::hot
