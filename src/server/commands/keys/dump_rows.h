// dump_rows.h - values of any type out of their rows, and back into them.
#pragma once

#include "core/transactions/latched_transaction.h"
#include "server/dump/dumped_value.h"

namespace mayfly::server {

// Of a row that exists.
Result<DumpedValue> ReadRows(core::LatchedKeyspace& space, Bytes key, const core::FoundRow& row);

// In place of whatever the key held, deadline included. A hash whose fields are all dead is none.
Status WriteRows(core::LatchedKeyspace& space, Bytes key, const DumpedValue& value, WallTime now);

}  // namespace mayfly::server
