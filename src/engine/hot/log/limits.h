// limits.h - the bounds of the log.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/limits.h"

namespace mayfly::engine::hot {

// A segment is at least as long as its header and one small record, and as long as the largest
// batch needs.
inline constexpr std::uint64_t kSegmentBytesMin = std::uint64_t{16} << 10;
inline constexpr std::uint64_t kSegmentBytesMax = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kSegmentBytesDefault = std::uint64_t{32} << 20;

// Bytes of one record's payload: the largest batch, and at most 11 bytes per change around it.
inline constexpr std::uint64_t kPayloadBytesMax = kBatchBytesMax + 11 * kBatchOperationsMax + 1;
static_assert(kPayloadBytesMax < std::uint64_t{1} << 31, "bit 31 of a record's length is a flag");

// Records that one write takes together.
inline constexpr std::size_t kGroupRecordsMax = 4096;

// Bytes of small records that are gathered for one write. A larger record is written from where it
// lies.
inline constexpr std::size_t kGatheredBytesMax = std::size_t{1} << 20;
inline constexpr std::size_t kGatheredRecordMax = std::size_t{64} << 10;

// Pages of a mapped segment are made writable in stretches of this length, one ahead of records.
inline constexpr std::uint64_t kPopulateBytes = std::uint64_t{64} << 10;

// Bytes that recovery checks behind a torn record, in the search for one that proves damage.
inline constexpr std::uint64_t kSearchBytesMax = std::uint64_t{16} << 30;

}  // namespace mayfly::engine::hot
