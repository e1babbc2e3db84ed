// limits.h - sizes and bounds of the memory index.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/limits.h"

namespace mayfly::engine::hot {

// Handles count units, so 32 bits reach 32 or 64 GiB. Blocks are whole units: a row wastes half of one.
inline constexpr std::size_t kUnitBytesMin = 8;
inline constexpr std::size_t kUnitBytesMax = 16;
inline constexpr std::size_t kSlabBytes = std::size_t{64} << 10;
inline constexpr std::size_t kFineArenaBytesMax = kUnitBytesMin << 32;
inline constexpr std::size_t kArenaBytesMax = kUnitBytesMax << 32;

// Blocks up to this size share a slab, or eight slabs in a row above the smaller bound; longer ones
// are runs of whole slabs.
inline constexpr std::size_t kSlabBlockBytesMax = std::size_t{8} << 10;
inline constexpr std::size_t kSharedBlockBytesMax = std::size_t{64} << 10;
inline constexpr std::size_t kSlabsOfLongBlocks = 8;

// A longer value has a block of its own, which a reader of an open state can use without a copy.
inline constexpr std::size_t kInlineValueBytesMax = 4096;

// A reader without a lock may take the length of a key from a block that has just been freed. The
// memory behind the last block is readable for as far as such a length can reach.
inline constexpr std::size_t kGuardBytes = std::size_t{512} << 10;
inline constexpr std::uint32_t kKeyLengthMask = (1U << 18) - 1;
static_assert(kKeyBytesMax <= kKeyLengthMask);
static_assert(kKeyLengthMask + kInlineValueBytesMax + kUnitBytesMax < kGuardBytes);

// Free slabs that keep their memory, beside an eighth of the used ones.
inline constexpr std::size_t kIdleSlabsMax = 64;

// Stripes of row locks, for all roles together. Two pipelines of 16 SET EX touch some 50 rows each.
inline constexpr std::size_t kStripeCount = 4096;

// Above this number of changes a batch keeps every version it replaces until it is published, so
// that no reader waits for it. A server's pipeline of 64 commands is below it: a kept version costs
// more than the change itself.
inline constexpr std::size_t kSmallBatchChangesMax = 256;

// Rows that a commit has deleted, or left versions of, and prunes itself when no open state needs
// them, with their locks. More of them would keep others waiting.
inline constexpr std::size_t kOwnPruneMax = 256;

// Retired rows that a commit works off: more than it adds, so the queue shrinks, unless it adds more
// than the upper bound. What is left is for HotIndex::Reclaim().
inline constexpr std::size_t kReclaimStepMin = 8;
inline constexpr std::size_t kReclaimStepMax = 1024;

// Keys whose buckets are fetched before the first of their rows is.
inline constexpr std::size_t kPrefetchStep = 32;

// Rows, and bytes of keys and values, that a cursor copies in one step.
inline constexpr std::size_t kCursorRowsMax = 128;
inline constexpr std::size_t kCursorBytesMax = std::size_t{64} << 10;

}  // namespace mayfly::engine::hot
