// worn_members.h - hashes and sets from which much was removed begin anew.
// What is removed leaves a tombstone in the engine until a compaction comes by, and whoever walks
// over the members meets it. So a collection counts in its head how many were removed since it was
// made, and when these are many times those that are left, and few enough are left to be written
// again in some milliseconds, it is: under a new version, where nothing was ever removed. Hence a
// walk over few members is short, whatever there was before.
//   head   | type u8 | removed varint, unless it is 0 |
#pragma once

#include <cstdint>

#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "types/value_type.h"

namespace mayfly::types {

// Removed ones, at least and for each that is left, after which it begins anew; and how many these
// may be.
inline constexpr std::uint64_t kWornRemovedMin = 512;
inline constexpr std::uint64_t kWornRemovedShare = 4;
inline constexpr std::uint64_t kRenewedMax = 2048;

// Corruption when the head cannot be read.
Result<std::uint64_t> RemovedOf(Bytes head);

// One more was removed, and so many are left, at least one. `removed` becomes what the head says.
Status NoteRemoved(core::LatchedKeyspace& space, Bytes key, ValueType type, std::uint64_t left,
                   std::uint64_t& removed);

}  // namespace mayfly::types
