// limits.h - the bounds of a server's databases on a cluster.
#pragma once

#include <chrono>
#include <cstddef>

namespace mayfly::cluster {

// Threads that open and close databases of shards. A new database takes about five writes of the
// store, one after the other.
inline constexpr std::size_t kLanes = 8;

// Offers whose replies are awaited. Older ones are given up: an offer that is lost costs seconds.
inline constexpr std::size_t kOffersUnderWay = 256;

// Places named by one look at a shard's objects in the store.
inline constexpr std::size_t kLookTracesMax = 100;

// How long a server that stops waits until others have its shards.
inline constexpr std::chrono::milliseconds kLeaveWait{10'000};

}  // namespace mayfly::cluster
