// dump_rows.h - reads values of any type from their rows, and writes them.
#pragma once

#include "core/transactions/latched_transaction.h"
#include "server/dump/dumped_value.h"

namespace mayfly::server {

// What is done with deadlines that a max age has given to a stream's entries: no dump could keep
// them, and the entries would live for ever where it is read. With kLeaveOut the caller accepts that,
// or tells the reader of each death, as the leader of a follower does.
enum class MaxAges : std::uint8_t { kRefuse, kLeaveOut };

// Of a row that exists. Unsupported: a stream that has, or whose entries have, a max age that is not
// left out.
Result<DumpedValue> ReadRows(core::TransactionKeyspace& space, Bytes key, const core::FoundRow& row,
                             WallTime now, MaxAges max_ages = MaxAges::kRefuse);

// Replaces the key's value and deadline. A hash whose fields are all dead does not exist
// afterwards.
Status WriteRows(core::TransactionKeyspace& space, Bytes key, const DumpedValue& value,
                 WallTime now);

// Adds the elements to a collection of the same type, those of lists and streams behind the others;
// to a missing key, too.
Status ExtendRows(core::TransactionKeyspace& space, Bytes key, const DumpedValue& more,
                  WallTime now);

}  // namespace mayfly::server
