// table_limits.h - the bounds of tables and of their upkeep. DynamoDB's where it has one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "mayfly/clock.h"

namespace mayfly::tables {

inline constexpr std::size_t kTableNameBytesMin = 3;
inline constexpr std::size_t kTableNameBytesMax = 255;
inline constexpr std::size_t kAttributeNameBytesMax = 255;  // Of keys and the ttl attribute.
inline constexpr std::size_t kGlobalIndexesMax = 20;
inline constexpr std::size_t kLocalIndexesMax = 5;
inline constexpr std::size_t kProjectedAttributesMax = 100;  // Of all indexes of a table together.

// Not DynamoDB's: it has no schemas.
inline constexpr std::size_t kSchemasMax = 1000;

// Items one step of upkeep rewrites in a transaction; writers of these wait for it.
inline constexpr std::size_t kUpkeepStepItemsMax = 64;

// Items one transaction of a sweep removes.
inline constexpr std::size_t kSweepStepItemsMax = 64;

// Shadows a sweep purges before it removes their items: what it reads again after a crash.
inline constexpr std::uint64_t kSweepPurgeRowsMax = 1024;

// Items one sweep visits, dead or not, in a table of which it may have missed deaths.
inline constexpr std::uint64_t kSweepSearchItemsMax = 1024;

// Positions in the event log that sweeps keep in memory.
inline constexpr std::size_t kSweepPlacesMax = 4096;

// Items a reaper handles before it checks whether it must stop.
inline constexpr std::uint64_t kReaperStepItemsMax = 1024;

// Events read at once, and how many events of others pass before the position is stored: after a
// restart these are read again.
inline constexpr std::size_t kEventPageMax = 256;
inline constexpr std::uint64_t kUnsavedEventsMax = 1024;

// How often a transaction is retried before it returns Conflict. Latches and gates keep those of
// tables apart.
inline constexpr int kUpkeepAttemptsMax = 16;

// The bytes of a table are estimated as the mean of this many items times their number.
inline constexpr std::uint32_t kSampleSegments = 8;
inline constexpr std::size_t kSampleItemsPerSegment = 16;

inline constexpr Millis kStreamRecordTtl = std::chrono::hours(24);

// The least purge_within: core's; with a stream, that of the stream's keyspace, which gets a
// quarter (StreamPromise()).
inline constexpr Millis kPromiseMin = std::chrono::seconds(1);

// How far versions of items may be ahead of the time and not be stored.
inline constexpr Millis kVersionsAheadMin = std::chrono::milliseconds(100);
inline constexpr Millis kPromiseWithStreamMin = 4 * kPromiseMin;

// Records of dead items that are shortened in one transaction.
inline constexpr std::size_t kShortenStepRecordsMax = 256;

// A read of a stream ends after the record that reaches this.
inline constexpr std::uint64_t kStreamPageBytesMax = std::uint64_t{1} << 20;

// A stream's sequence begins at the time it was opened at, shifted by this: larger than any number
// it gave out before, unless it gave out more than 2^20 numbers in each millisecond.
inline constexpr int kSequenceTimeShift = 20;

}  // namespace mayfly::tables
