// dump_streams.h - reads streams from their rows, and writes them; the part of dump_rows.h for them.
#pragma once

#include "server/commands/keys/dump_rows.h"

namespace mayfly::server {

// Fills entries and state. Unsupported as ReadRows().
Status ReadStreamRows(core::TransactionKeyspace& space, Bytes key, WallTime now, DumpedValue& value,
                      MaxAges max_ages);

// Adds the entries, which lie behind those that are there, to a stream that is made if need be;
// then, if there is one, the state. A state is that of the whole: there are no groups before it.
Status AddStreamRows(core::TransactionKeyspace& space, Bytes key, const DumpedValue& value,
                     WallTime now);

}  // namespace mayfly::server
