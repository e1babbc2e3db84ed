// limits.h - the bounds of tables on a cluster.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace mayfly::cluster {

// The shard that has the definitions in its charge (definitions.h).
inline constexpr std::size_t kHomeShard = 0;

// Key schemas that a server remembers; it forgets all when there would be more.
inline constexpr std::size_t kSchemasKept = 4096;

// How often a request is routed again because the tables have changed meanwhile.
inline constexpr int kStaleRoutesMax = 3;

// How long a change of definitions waits until the one before it is settled.
inline constexpr std::chrono::milliseconds kChangePatience{10'000};

// Pauses: before a shard without an owner is looked for again; before an unsettled change is tried
// again; between rounds of upkeep.
inline constexpr std::chrono::milliseconds kPlacePause{10};
inline constexpr std::chrono::milliseconds kSettlePause{50};
inline constexpr std::chrono::milliseconds kUpkeepPause{1000};

// Shards that are asked together. They keep threads of their servers busy meanwhile.
inline constexpr std::size_t kShardsTogether = 32;

// Entries of a global index that a shard is asked for at first; then twice as many each time.
inline constexpr std::int64_t kIndexEntriesMin = 2;
inline constexpr std::int64_t kIndexEntriesMax = 1000;

// Threads on which writes of requests that came together wait for the store, if they are in several
// shards here.
inline constexpr std::size_t kWritingThreads = 16;

// Items that one step of upkeep visits in a shard.
inline constexpr std::uint64_t kUpkeepItemsMax = 1024;

// A page of a Scan goes on to the next shard while it has read less. A shard's own page ends at 1 MB.
inline constexpr double kPageBytesEnough = 512.0 * 1024;

}  // namespace mayfly::cluster
