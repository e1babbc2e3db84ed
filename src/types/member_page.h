// member_page.h - reads a collection's members page by page, with cursors of 48 bits.
// The cursor is the hash of the last member that was shown (member_key.h), so the server keeps no
// state. A page ends only between different hashes: else the next page would skip the rest of the
// names of one hash.
#pragma once

#include <cstdint>

#include "base/function_ref.h"
#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::types {

// Shows members after `cursor`, 0 for the first page: `count`, or a few more where hashes are
// equal, or all that are left. Returns the cursor of the next page, 0 when there is none. The
// collection must exist; it may have changed since an old cursor was returned.
Result<std::uint64_t> WalkPage(core::TransactionKeyspace& space, Bytes key, std::uint64_t cursor,
                               std::uint64_t count,
                               FunctionRef<void(Bytes name, Bytes value)> show);

}  // namespace mayfly::types
