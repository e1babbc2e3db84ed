// member_deaths.h - when a collection next changes by itself, because a member of it dies.
#pragma once

#include <optional>

#include "core/transactions/transaction_keyspace.h"

namespace mayfly::core {

// An instant before which no living member of the collection dies, as it is stored: the next death,
// or somewhat earlier. Nothing when no member is mortal, or there is no collection. Costs no more
// than a read of the row, but for members that are dead and wait for their purge. Errors as those of
// the space's reads.
Result<std::optional<WallTime>> NextMemberDeath(TransactionKeyspace& space, Bytes key);

}  // namespace mayfly::core
