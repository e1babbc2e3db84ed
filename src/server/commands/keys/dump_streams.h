// dump_streams.h - reads streams from their rows, and writes them; the part of dump_rows.h for them.
#pragma once

#include "core/transactions/latched_transaction.h"
#include "server/dump/dumped_value.h"

namespace mayfly::server {

// Fills entries and state. Unsupported when entries have, or will have, a max age: no dump could
// keep their deadlines, and they would live for ever where it is read.
Status ReadStreamRows(core::TransactionKeyspace& space, Bytes key, WallTime now,
                      DumpedValue& value);

// Adds the entries, which lie behind those that are there, to a stream that is made if need be;
// then, if there is one, the state. A state is that of the whole: there are no groups before it.
Status AddStreamRows(core::TransactionKeyspace& space, Bytes key, const DumpedValue& value,
                     WallTime now);

}  // namespace mayfly::server
