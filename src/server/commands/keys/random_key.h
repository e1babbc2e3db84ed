// random_key.h - draws a random key from an ordered keyspace that cannot be indexed by rank.
#pragma once

#include <optional>
#include <string>

#include "base/random.h"
#include "core/transactions/latched_transaction.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::server {

// Keyspaces up to this size are drawn from evenly, by iterating.
inline constexpr std::uint64_t kEvenDrawRowsMax = 1000;

// Nothing when there are no keys. In larger keyspaces it descends byte by byte, with even chances
// for all bytes between the smallest and the largest that may follow. Keys with running numbers or
// hashes in their names are drawn almost evenly; a key far from all others is drawn more often.
// The clock ends a draw that takes long: it should be one of real time.
Result<std::optional<std::string>> DrawKey(core::TransactionKeyspace& space, Random& random,
                                           const Clock& clock);

}  // namespace mayfly::server
