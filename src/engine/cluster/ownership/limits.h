// limits.h - the bounds of a cluster.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/address.h"

namespace mayfly::engine::cluster {

// A shard is at least one slot.
inline constexpr std::uint32_t kShardsMax = kSlotCount;

// Every server reads the records of all others, so the bytes read grow with the square of their
// number: docs/scale.md has the formula.
inline constexpr std::size_t kServersMax = 4096;

// Objects that the records of servers are spread over.
inline constexpr std::uint32_t kRosterPagesMax = 64;

// Of a server, as clients reach it.
inline constexpr std::size_t kAddressBytesMax = 256;

// Servers whose clocks one server compares its own with.
inline constexpr std::size_t kDriftPeersMax = 8;

static_assert(kServersMax <= 0xffff, "servers are numbered by 16 bits in a view");
static_assert(kDriftPeersMax < 0xff, "peers are numbered by 8 bits in a view");

}  // namespace mayfly::engine::cluster
