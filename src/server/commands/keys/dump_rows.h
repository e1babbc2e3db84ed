// dump_rows.h - reads values of any type from their rows, and writes them.
#pragma once

#include "core/transactions/latched_transaction.h"
#include "server/dump/dumped_value.h"

namespace mayfly::server {

// Of a row that exists.
Result<DumpedValue> ReadRows(core::TransactionKeyspace& space, Bytes key,
                             const core::FoundRow& row);

// Replaces the key's value and deadline. A hash whose fields are all dead does not exist
// afterwards.
Status WriteRows(core::TransactionKeyspace& space, Bytes key, const DumpedValue& value,
                 WallTime now);

}  // namespace mayfly::server
