// item_limits.h - the bounds of items and of calls on them. DynamoDB's, unless a line says why not.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "mayfly/clock.h"

namespace mayfly::tables {

inline constexpr std::size_t kItemBytesMax = std::size_t{400} << 10;
inline constexpr std::size_t kPartitionKeyBytesMax = 2048;
inline constexpr std::size_t kSortKeyBytesMax = 1024;
inline constexpr std::size_t kMemberNameBytesMax = 65535;
inline constexpr std::size_t kNestingLevelsMax = 32;

inline constexpr std::size_t kBatchGetsMax = 100;
inline constexpr std::size_t kBatchWritesMax = 25;
inline constexpr std::size_t kTransactActionsMax = 100;
inline constexpr std::uint64_t kTransactBytesMax = std::uint64_t{4} << 20;  // Of all its items.

// A page ends after the item that reaches this.
inline constexpr std::size_t kPageBytesMax = std::size_t{1} << 20;
inline constexpr std::uint32_t kSegmentsMax = 1'000'000;

// Independent writes: so many share a commit, which ends after the write with which the returned
// items exceed this many bytes.
inline constexpr std::size_t kWritesTogetherMax = 32;
inline constexpr std::uint64_t kShownBytesMax = std::uint64_t{1} << 20;

// How long a transaction's token is remembered, and how long one may be.
inline constexpr Millis kTokenTtl = std::chrono::minutes(10);
inline constexpr std::size_t kTokenBytesMax = 36;

// Latches keep calls on items from conflicting with each other, but not with writers of the same
// keyspaces that take none. A call retries this often before it returns Busy.
inline constexpr int kAttemptsMax = 16;

// A version is at least the time of its write in milliseconds, shifted by this: up to 1024 writes
// in a millisecond do not run ahead of time.
inline constexpr int kVersionTimeShift = 10;

// In mode kUntilSwept a ttl further back is ignored.
inline constexpr Millis kForgottenAfter = std::chrono::years(5);

// Instants that core accepts as deadlines: outside of them the unit may be wrong. An attribute
// below has passed and stays so; one above never comes.
inline constexpr WallTime kDeadlineFirst = WallTimeFromMs(100'000'000'000);
inline constexpr WallTime kDeadlineLast = WallTimeFromMs(100'000'000'000'000);

}  // namespace mayfly::tables
