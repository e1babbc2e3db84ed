// limits.h - the bounds of a shard.
#pragma once

#include <chrono>
#include <cstddef>

#include "engine/cluster/objects/limits.h"
#include "engine/limits.h"

namespace mayfly::engine::cluster {

// Longer values lie in objects of their own: a map is recovered as a whole, and its object is
// blocked meanwhile.
inline constexpr std::size_t kLargeValueBytes = std::size_t{64} << 10;

// Commits that go to the store in one write operation. A commit that is larger goes alone.
inline constexpr std::size_t kGroupBytesMax = std::size_t{4} << 20;
inline constexpr std::size_t kGroupChangesMax = 16'384;

// Addresses that the rows of a shard may take, and so their bytes in memory. Reserving them costs
// nothing; a server with 16,384 shards stays within what a process may have.
inline constexpr std::size_t kShardAddressesMax = std::size_t{4} << 30;

// Keys that one step of Compact() judges and removes.
inline constexpr std::size_t kShardCompactStepKeys = 1024;

// Large values that one write announces: of a group, or of the largest batch.
inline constexpr std::size_t kLargeValuesPerWriteMax = 16'384;

// Between two tries of a request whose outcome is unknown.
inline constexpr std::chrono::milliseconds kResendPause{20};

// A wait for the store looks around this often, and lends its thread from so many looks on: usual
// writes, of some milliseconds, never do.
inline constexpr std::chrono::milliseconds kWaitStep{20};
inline constexpr int kStepsAlone = 5;

static_assert(kGroupBytesMax <= kMapWriteBytesMax);
static_assert(kGroupChangesMax <= kLargeValuesPerWriteMax);
static_assert(kBatchBytesMax / kLargeValueBytes <= kLargeValuesPerWriteMax);

}  // namespace mayfly::engine::cluster
