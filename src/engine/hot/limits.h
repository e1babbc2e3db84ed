// limits.h - the bounds of the memory-first engine.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace mayfly::engine::hot {

// One commit of a fold to the cold store.
inline constexpr std::size_t kFoldBatchBytesMax = std::size_t{512} << 10;
inline constexpr std::size_t kFoldBatchChangesMax = 1024;

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

// Rows that the hand of the eviction visits in one step, and how far below its budget it goes: a
// 32nd.
inline constexpr std::size_t kEvictStepRows = 256;
inline constexpr std::size_t kEvictShare = 32;

// One step of the load after opening; and how many steps in a row may be made in vain, because rows
// leave memory, before it is given up.
inline constexpr std::size_t kLoadStepRows = 1024;
inline constexpr std::size_t kLoadStepBytes = std::size_t{1} << 20;
inline constexpr int kLoadRetriesMax = 1000;

// Memory may pass its budget by this part of it before commits wait.
inline constexpr std::uint64_t kMemorySlackShare = 8;

// One commit in so many adds its bytes to the count that wakes the thread, for all of them. Longer
// records are always counted.
inline constexpr std::uint64_t kCountedCommits = 16;
inline constexpr std::size_t kCountedPayloadBytes = std::size_t{16} << 10;

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
