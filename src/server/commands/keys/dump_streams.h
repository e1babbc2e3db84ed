// dump_streams.h - reads streams from their rows, and writes them; the part of dump_rows.h for them.
#pragma once

#include "core/transactions/latched_transaction.h"
#include "server/dump/dumped_value.h"

namespace mayfly::server {

// What is done with deadlines that a max age has given to entries: no dump could keep them, and the
// entries would live for ever where it is read. A follower hears of each death.
enum class MaxAges : std::uint8_t { kRefuse, kLeaveOut };

// Fills entries and state. Unsupported when entries have, or will have, a max age that is not left
// out.
Status ReadStreamRows(core::TransactionKeyspace& space, Bytes key, WallTime now, DumpedValue& value,
                      MaxAges max_ages = MaxAges::kRefuse);

// Adds the entries, which lie behind those that are there, to a stream that is made if need be;
// then, if there is one, the state. A state is that of the whole: there are no groups before it.
Status AddStreamRows(core::TransactionKeyspace& space, Bytes key, const DumpedValue& value,
                     WallTime now);

}  // namespace mayfly::server
