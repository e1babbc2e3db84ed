// worn_members.h - rewrites hashes and sets from which many members were removed.
// A removed member leaves a tombstone in the engine until a compaction, and cursors over the
// members have to pass it. So a collection counts in its head how many were removed since it was
// made. When these are many times those left, and few enough are left to be rewritten in some
// milliseconds, it is rewritten under a new collection id, which has no tombstones. Hence a scan of
// few members is short, however many there were before.
//   head   | type u8 | removed varint, unless it is 0 |
#pragma once

#include <cstdint>

#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "types/value_type.h"

namespace mayfly::types {

// How many must have been removed, at least and for each member left, before it is rewritten; and
// how many may be left.
inline constexpr std::uint64_t kWornRemovedMin = 512;
inline constexpr std::uint64_t kWornRemovedShare = 4;
inline constexpr std::uint64_t kRenewedMax = 2048;

// Corruption when the head cannot be read.
Result<std::uint64_t> RemovedOf(Bytes head);

// Notes that one more was removed and `left` are left, at least one. Sets `removed` to the head's
// count.
Status NoteRemoved(core::TransactionKeyspace& space, Bytes key, ValueType type, std::uint64_t left,
                   std::uint64_t& removed);

}  // namespace mayfly::types
