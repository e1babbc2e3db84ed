// limits.h - the bounds of the core.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "engine/limits.h"
#include "mayfly/clock.h"

namespace mayfly::core {

inline constexpr std::size_t kKeyBytesMax = std::size_t{64} << 10;
inline constexpr std::size_t kValueBytesMax = std::size_t{256} << 20;
inline constexpr std::size_t kKeyspaceNameBytesMax = 255;

// Keys are latched by stripe. More stripes let more writers through at once, and make it dearer to
// latch everything.
inline constexpr std::size_t kStripes = 2048;

// Keys of a transaction whose rows are fetched into the processor's cache before it reads the first.
inline constexpr std::size_t kPrefetchedKeysMax = 64;
inline constexpr std::size_t kPrefetchedBytesMax = std::size_t{4} << 10;

// Rows are counted by so many counters, of which a commit changes one. More let more commits that add
// or remove rows through at once and cost a stored row each, per keyspace.
inline constexpr std::size_t kCounters = 256;

// Memory that a change of a row or member costs a latched transaction, beside its name and value:
// its places in the write buffer and in the undo log.
inline constexpr std::size_t kBufferedChangeBytes = 256;

// Pairs that are counted while the gate of their keyspace is held.
inline constexpr std::size_t kMeasuredPairsMax = 1024;

// Rows that one purge batch removes; their latches are held for one commit.
inline constexpr std::size_t kPurgeBatchRowsMax = 64;

// Rows that a step of the reaper removes, in one commit, beside live traffic, which waits for it.
inline constexpr std::size_t kReaperStepRowsMax = 16;

// Entries that a purge reads ahead, so that one cursor serves several batches, and finds enough
// rows of one counter for a step of the reaper. A multiple of this would leave the caches of a core
// before its last rows are removed: 16,384 cost a quarter more CPU per row than 4,096.
inline constexpr std::size_t kPurgeAheadRowsMax = kCounters * kReaperStepRowsMax;

// Dead rows that each count of living rows scans; if there are more, a purge counts them once.
inline constexpr std::uint64_t kUncountedRowsMax = 1024;

// Rows of one keyspace waiting for their purge that are worth a line in the log.
inline constexpr std::uint64_t kBacklogRowsLogged = 100'000;

// The most dead members that statistics count.
inline constexpr std::uint64_t kDueMembersCountedMax = 10'000;

// Rows that a purge removes in one keyspace's turn while other keyspaces wait for theirs.
inline constexpr std::size_t kPurgeTurnRowsMax = 64;

// Collection ids reserved at once, in a commit of their own. Those not used when the process ends
// are lost, of 2^64.
inline constexpr std::uint64_t kVersionsReserved = 4096;

// Dead members that each command on their collection counts anew; if there are more, the count is
// written to its row.
inline constexpr std::uint64_t kUncountedMembersMax = 16;

// Bytes of a member's name, and of a collection's head.
inline constexpr std::size_t kMemberBytesMax = kKeyBytesMax;
inline constexpr std::size_t kHeadBytesMax = 160;

// Bytes of all parts of a collection, with names and sizes, up to which they lie in its row. More
// save more rows, and each change writes all of them to the log.
inline constexpr std::size_t kPackedBytesMax = std::size_t{1} << 10;

// Where a change puts a value of more bytes than the first, all parts lie in the row up to the second:
// a row of its own costs less then than writing the other values anew.
inline constexpr std::size_t kPackedValueBytesMax = 64;
inline constexpr std::size_t kPackedLongBytesMax = 256;

// Members and sides of a new collection that a latched transaction buffers before it stages them in
// the engine, ahead of the row. More make fewer commits.
inline constexpr std::size_t kDraftPartsMax = 10'000;
inline constexpr std::size_t kDraftBytesMax = std::size_t{4} << 20;

// Drafts whose memory a transaction leaves to the next, the bytes of each, and of a commit's batch.
inline constexpr std::size_t kSpareDraftsMax = 128;
inline constexpr std::size_t kSpareDraftBytesMax = std::size_t{2} << 10;
inline constexpr std::size_t kSpareBatchBytesMax = std::size_t{64} << 10;

// The same of a batch that a single write leaves to the next one of its counter.
inline constexpr std::size_t kSpareCounterBytesMax = std::size_t{1} << 10;

// Bytes of what a latched transaction has read, of keys it may change, and keeps for its next call.
inline constexpr std::size_t kKeptReadBytesMax = std::size_t{1} << 20;

// Parts of an orphan that one batch removes.
inline constexpr std::size_t kOrphanBatchPartsMax = 128;

// Rows, or members of one collection, that a restore writes at once.
inline constexpr std::size_t kRestoreBatchRows = 256;

// Keys one transaction may touch.
inline constexpr std::size_t kTransactionKeysMax = 1'000'000;

// Bytes that a transaction keeps of one row it has read, and of all.
inline constexpr std::size_t kSeenRowBytesMax = std::size_t{4} << 10;
inline constexpr std::size_t kSeenBytesMax = std::size_t{1} << 20;

inline constexpr std::size_t kForecastBucketsMax = 10'000;
inline constexpr std::size_t kScanRowsMax = 1'000'000;

// How far the stored time may lag behind the clock while the database is used.
inline constexpr Millis kHighWaterStep = std::chrono::seconds(1);

// A wall clock that is behind by less than this does not count as behind: time servers adjust by as
// much.
inline constexpr Millis kClockTolerance = std::chrono::minutes(1);

// A clock that is behind by this is logged: instants that it has not reached have passed.
inline constexpr Millis kClockBehindTold = std::chrono::seconds(2);

// The smallest step of the wall clock, against the steady one, that is logged and counted; less
// where the limit of jumps is less, down to the rounding error of two readings.
inline constexpr Millis kClockStepMin = std::chrono::milliseconds(100);
inline constexpr Millis kClockStepFloor = std::chrono::milliseconds(2);

// A wall clock without a time server may gain one part in so many on the steady one, four hours a
// year, and stays trusted: five times the drift of a cheap quartz.
inline constexpr std::int64_t kClockDriftInverse = 2000;

// A database without writes for so long has time to tidy up its upper levels.
inline constexpr Millis kQuietAfter = std::chrono::milliseconds(500);

// How often the drop horizon is advanced while purges run; each advance costs an fsync.
inline constexpr Millis kHorizonPause = std::chrono::milliseconds(200);

// How often a reaper with a backlog reclaims files all the same.
inline constexpr Millis kReclaimWithBacklogEvery = std::chrono::seconds(1);

// The shortest rest worth a sleep.
inline constexpr std::chrono::microseconds kReaperRestMin(500);

// The least share of time a reaper takes, if it has a backlog and there was no write for a while.
inline constexpr std::uint32_t kReaperQuietPercent = 60;

// The lag, in time and in rows, at which a reaper takes twice its share of time; three times at
// twice the lag, and so on.
inline constexpr Millis kReaperLagUnit = std::chrono::milliseconds(100);
inline constexpr std::uint64_t kReaperLagRows = 25'000;

// The same, in time, where a row takes longer than kReaperSlowRow to remove, in the fastest of
// kReaperStepsWatched steps: in a stream of deaths, and after many at one instant; and how long the
// reaper watches to tell the two apart.
inline constexpr std::chrono::nanoseconds kReaperSlowRow = std::chrono::microseconds(6);
inline constexpr std::size_t kReaperStepsWatched = 64;
inline constexpr Millis kReaperSlowStreamUnit = std::chrono::milliseconds(500);
inline constexpr Millis kReaperSlowUnit = std::chrono::minutes(1);
inline constexpr Millis kReaperHeadPause = std::chrono::milliseconds(250);

// Entries after which a scan of the index in the background lets other threads run: while it has a
// core to itself, one that has just become ready may wait for it for milliseconds.
inline constexpr std::size_t kScanEntriesPerYield = 512;

// How long a reclaimer waits for writers or for a quiet moment.
inline constexpr Millis kReclaimPause = std::chrono::seconds(1);

// Rows removed since the last flush that make a flush of a quiet database worth while.
inline constexpr std::uint64_t kFlushAfterRows = 1000;

// How often, and after which pause, a round of promises or a reclaim retries a file that the engine
// is compacting by itself.
inline constexpr std::size_t kBusyFileLooksMax = 50;
inline constexpr Millis kBusyFilePause = std::chrono::milliseconds(10);

// The same for files that the engine has yet to delete; readers may still hold them.
inline constexpr std::size_t kDeletionLooksMax = 5;

// Events that one step of a trim reads and removes; commits with events wait for a step.
inline constexpr std::size_t kTrimStepEventsMax = 1000;

// Rows between two progress reports of a check or a backup.
inline constexpr std::uint64_t kProgressRows = 256;

// A promise below this could not be kept on any disk.
inline constexpr Millis kPurgeWithinMin = std::chrono::seconds(1);

// How long a reaper with dead rows that other clocks do not allow to be removed yet waits before it
// looks again.
inline constexpr Millis kRemovalLimitPause = std::chrono::seconds(1);

// How long a reaper that could not purge, on a full disk say, waits before it tries again.
inline constexpr Millis kReaperRetryPause = std::chrono::seconds(1);

// Instants outside these are taken for another unit: a date of today in seconds is 1970 in
// milliseconds, and in microseconds it lies past the year 5138.
inline constexpr WallTime kPlausibleFirst = WallTimeFromMs(100'000'000'000);
inline constexpr WallTime kPlausibleLast = WallTimeFromMs(100'000'000'000'000);

// Room for the bytes that a row's key and tag add to the user's.
static_assert(kKeyBytesMax + 64 <= engine::kKeyBytesMax);
static_assert(kValueBytesMax + 64 <= engine::kValueBytesMax);

// A step of the reaper fits into a turn, so that other keyspaces do not wait for more than one.
static_assert(kReaperStepRowsMax <= kPurgeTurnRowsMax);

}  // namespace mayfly::core
