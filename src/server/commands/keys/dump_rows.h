// dump_rows.h - reads values of any type from their rows, and writes them.
#pragma once

#include "core/transactions/latched_transaction.h"
#include "server/dump/dumped_value.h"

namespace mayfly::server {

// Of a row that exists. Unsupported: a stream with a max age (dump_streams.h).
Result<DumpedValue> ReadRows(core::TransactionKeyspace& space, Bytes key, const core::FoundRow& row,
                             WallTime now);

// Replaces the key's value and deadline. A hash whose fields are all dead does not exist
// afterwards.
Status WriteRows(core::TransactionKeyspace& space, Bytes key, const DumpedValue& value,
                 WallTime now);

// Adds the elements to a collection of the same type, those of lists and streams behind the others;
// to a missing key, too.
Status ExtendRows(core::TransactionKeyspace& space, Bytes key, const DumpedValue& more,
                  WallTime now);

}  // namespace mayfly::server
