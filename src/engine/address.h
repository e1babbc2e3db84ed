// address.h - the map (role) and the shard (slot) of a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mayfly/bytes.h"

namespace mayfly::engine {

// A role is a physical map with its own files, cache of indexes and compaction. Roles are fixed;
// keyspaces are prefixes of keys and cost nothing. Stored; append, never renumber.
enum class Role : std::uint8_t {
  kRows = 0,     // Keys and their values.
  kMembers = 1,  // Sub-rows of collections, and versions.
  kExpiry = 2,   // Keys in the order they will die.
  kEvents = 3,   // Expiry events, in sequence.
  kMeta = 4,     // Keyspaces, policies, watermarks, format.
};
inline constexpr std::size_t kRoleCount = 5;

// "rows", "members", ...; also the name of the map in files. Stored; never rename.
std::string_view RoleName(Role role);

// A slot is the unit of sharding: a number below kSlotCount. An engine on one machine ignores it;
// an engine on many keeps a slot's keys together and is atomic within it.
using Slot = std::uint16_t;
inline constexpr Slot kSlotCount = 16384;

// CRC16 of the key's {hash tag}, or of the whole key when there is none or it is empty, modulo
// kSlotCount: the same number a Redis Cluster client computes.
Slot SlotOf(Bytes key);

struct Address {
  Role role = Role::kRows;
  Slot slot = 0;  // Leave 0 where Capabilities::atomic_across_slots, and save the CRC.
};

}  // namespace mayfly::engine
