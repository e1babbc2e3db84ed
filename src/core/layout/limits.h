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

// Keys are latched, and counted, by stripe. More stripes let more writers through at once and cost
// a counter row per keyspace and stripe.
inline constexpr std::size_t kStripes = 256;

// What a change of a row or member costs a latched transaction in memory, beside its name and
// value: its places among the changes and in the undo log.
inline constexpr std::size_t kBufferedChangeBytes = 256;

// Rows one purge batch removes; their latches are held for one commit.
inline constexpr std::size_t kPurgeBatchRowsMax = 64;

// The same for the reaper, beside live traffic, which waits for its commits.
inline constexpr std::size_t kReaperBatchRowsMax = 16;

// Entries a purge reads ahead, to make one cursor serve several batches, and to find rows enough of
// one latch for a batch of the reaper's.
inline constexpr std::size_t kPurgeAheadRowsMax = kStripes * kReaperBatchRowsMax;

// Dead rows that each count of the living walks over; a purge counts more once for all.
inline constexpr std::uint64_t kUncountedRowsMax = 1024;

// Rows of one keyspace that wait for their purge, and are worth a line in the log.
inline constexpr std::uint64_t kBacklogRowsTold = 100'000;

// Dead members that figures count; of more they say that many.
inline constexpr std::uint64_t kDueMembersCountedMax = 10'000;

// Rows that one keyspace's turn of a purge takes while others wait for theirs.
inline constexpr std::size_t kPurgeTurnRowsMax = 64;

// Versions of collections reserved at once, in a commit of their own. What is left of them when the
// process ends is lost, of 2^64.
inline constexpr std::uint64_t kVersionsReserved = 4096;

// Dead members that each command on their collection counts anew; more are noted in its row, by
// whoever counted them.
inline constexpr std::uint64_t kUncountedMembersMax = 16;

// Bytes of a member's name, and of a collection's head.
inline constexpr std::size_t kMemberBytesMax = kKeyBytesMax;
inline constexpr std::size_t kHeadBytesMax = 64;

// Members and sides of a new collection that a latched transaction holds in memory; those before
// them are in the engine, ahead of the row. More make fewer commits.
inline constexpr std::size_t kDraftPartsMax = 10'000;
inline constexpr std::size_t kDraftBytesMax = std::size_t{4} << 20;

// Parts of an orphan that one batch removes.
inline constexpr std::size_t kOrphanBatchPartsMax = 128;

// Rows, or members of one collection, that a restore writes at once.
inline constexpr std::size_t kRestoreBatchRows = 256;

// Keys one transaction may touch.
inline constexpr std::size_t kTransactionKeysMax = 1'000'000;

// What a transaction remembers of the rows it has read: of one, and of all.
inline constexpr std::size_t kSeenRowBytesMax = std::size_t{4} << 10;
inline constexpr std::size_t kSeenBytesMax = std::size_t{1} << 20;

inline constexpr std::size_t kForecastBucketsMax = 10'000;
inline constexpr std::size_t kScanRowsMax = 1'000'000;

// How far the stored time may lag behind the clock while the database is used.
inline constexpr Millis kHighWaterStep = std::chrono::seconds(1);

// A wall clock that is behind by less than this is not called so: time servers adjust by as much.
inline constexpr Millis kClockTolerance = std::chrono::minutes(1);

// From here on the log warns that it is behind: instants that it has not reached have passed.
inline constexpr Millis kClockBehindTold = std::chrono::seconds(2);

// The smallest step of the wall clock, against the steady one, that is told and counted; less where
// the limit of jumps is less, down to what rounding makes of two readings.
inline constexpr Millis kClockStepMin = std::chrono::milliseconds(100);
inline constexpr Millis kClockStepFloor = std::chrono::milliseconds(2);

// A wall clock that no time server keeps right may gain one part in so many on the steady one, four
// hours a year, and is believed for ever: five times what a cheap quartz does.
inline constexpr std::int64_t kClockDriftInverse = 2000;

// A database nobody has written to for so long has time to tidy up its upper levels.
inline constexpr Millis kQuietAfter = std::chrono::milliseconds(500);

// How often what compaction may drop is brought up to date while purges go on; each time is an
// fsync.
inline constexpr Millis kHorizonPause = std::chrono::milliseconds(200);

// A reaper with a backlog looks at files all the same, this often.
inline constexpr Millis kReclaimWithBacklogEvery = std::chrono::seconds(1);

// The shortest rest worth a sleep.
inline constexpr std::chrono::microseconds kReaperRestMin(500);

// The share of time a reaper takes at least, if it has a backlog and nobody has written for a
// while.
inline constexpr std::uint32_t kReaperQuietPercent = 60;

// How far behind a reaper must be to work twice as much as it may otherwise: after many deaths at
// one instant, and in a stream of them; and how long it watches to tell the two apart.
inline constexpr Millis kReaperLagUnit = std::chrono::minutes(1);
inline constexpr Millis kReaperStreamLagUnit = std::chrono::milliseconds(500);
inline constexpr Millis kReaperHeadPause = std::chrono::milliseconds(250);

// How long a reclaimer that has to wait, for writers or for a quiet moment, does so.
inline constexpr Millis kReclaimPause = std::chrono::seconds(1);

// Rows removed since the last time that make it worth while to write memory out on a quiet
// database.
inline constexpr std::uint64_t kFlushAfterRows = 1000;

// How often, and after which pause, a round of promises looks again at a file that the engine is
// compacting by itself.
inline constexpr std::size_t kBusyFileLooksMax = 50;
inline constexpr Millis kBusyFilePause = std::chrono::milliseconds(10);

// The same for files that the engine has yet to delete; somebody may still read them.
inline constexpr std::size_t kDeletionLooksMax = 5;

// What latched transactions read is kept in this many parts, by two's exponent, each with a mutex
// of its own; and the largest pair that is kept: a few large ones would push out many small ones.
inline constexpr std::size_t kCacheShardBits = 6;
inline constexpr std::size_t kCachedPairBytesMax = 4096;

// Events one step of a trim reads, and removes; commits with events wait for a step.
inline constexpr std::size_t kTrimStepEventsMax = 1000;

// Rows between two words on how far a check or a backup is.
inline constexpr std::uint64_t kProgressRows = 256;

// A promise below this could not be kept on any disk.
inline constexpr Millis kPurgeWithinMin = std::chrono::seconds(1);

// How long a reaper that could not purge, on a full disk say, waits before it tries again.
inline constexpr Millis kReaperRetryPause = std::chrono::seconds(1);

// Instants outside are taken for another unit: 1973 in milliseconds is a date of today in seconds,
// and the year 5138 in milliseconds a date of today in microseconds.
inline constexpr WallTime kPlausibleFirst = WallTimeFromMs(100'000'000'000);
inline constexpr WallTime kPlausibleLast = WallTimeFromMs(100'000'000'000'000);

// What a row's key and tag cost around the user's bytes.
static_assert(kKeyBytesMax + 64 <= engine::kKeyBytesMax);
static_assert(kValueBytesMax + 64 <= engine::kValueBytesMax);

}  // namespace mayfly::core
