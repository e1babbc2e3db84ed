// member_page.h - a collection's members, a page at a time, for cursors of 48 bits.
// The cursor is the hash of the last member that was shown (member_key.h), so nobody has to
// remember it. A page ends only between different hashes: else names of one hash that were left for
// the next page would be passed over.
#pragma once

#include <cstdint>

#include "base/function_ref.h"
#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::types {

// Shows members behind `cursor`, 0 for the first page: `count`, or a few more where hashes are
// equal, or all that are left. Returns the cursor to go on with, 0 when there is nothing more. The
// collection must be there; one that a cursor of long ago belonged to may have changed meanwhile.
Result<std::uint64_t> WalkPage(core::LatchedKeyspace& space, Bytes key, std::uint64_t cursor,
                               std::uint64_t count,
                               FunctionRef<void(Bytes name, Bytes value)> show);

}  // namespace mayfly::types
