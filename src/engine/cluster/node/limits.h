// limits.h - the bounds of a node.
#pragma once

#include <chrono>
#include <cstdint>

namespace mayfly::engine::cluster {

// Threads that read shards.
inline constexpr std::uint32_t kLoadsInFlightMax = 64;

// Before a shard that could not be read, or that broke, is read again.
inline constexpr std::chrono::milliseconds kReloadPause{500};

// How long a closing engine waits until others have its shards.
inline constexpr std::chrono::milliseconds kLeaveWait{10'000};

// The node's thread looks around at least this often.
inline constexpr std::chrono::milliseconds kStepPauseMax{1000};

}  // namespace mayfly::engine::cluster
