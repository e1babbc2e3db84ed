// limits.h - the bounds of a server's databases on a cluster.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

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

// How long a server that starts waits to be in the roster, or to be refused, before it serves clients.
// An earlier life of its number holds its lease for some seconds.
inline constexpr std::chrono::milliseconds kJoinWait{15'000};

// Servers whose clocks one server compares its own with.
inline constexpr std::size_t kComparedServersMax = 8;

// Between two questions for the clocks of others; and how long an answer counts. Longer: a server that
// is silent for a while holds up no purge; one whose clock was set meanwhile is believed for longer.
inline constexpr std::chrono::milliseconds kClockAskPause{1'000};
inline constexpr std::chrono::milliseconds kClockKnownFor{60'000};

// How long after the start it is not logged that clocks are unknown.
inline constexpr std::chrono::milliseconds kClockAskPatience{10'000};

// What is known of a clock gets less certain by one part in so many of the time that passes: clocks run
// apart, and time servers make them run faster or slower.
inline constexpr std::int64_t kClockWideningInverse = 1000;

}  // namespace mayfly::cluster
