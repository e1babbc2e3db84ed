// sort_query.h - the arguments of SORT.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::server {

// Views into the arguments.
struct SortQuery {
  bool descending = false;
  bool alpha = false;     // By bytes; else by numbers.
  bool unsorted = false;  // A BY without a star keeps the stored order.
  std::optional<Bytes> by;
  std::vector<Bytes> gets;
  std::int64_t offset = 0;
  std::int64_t limit = -1;  // Negative: no limit.
  std::optional<Bytes> store;
};

// `words` begins behind the key. STORE is a syntax error in a read-only command.
Result<SortQuery> ParseSortQuery(std::span<const Bytes> words, bool read_only);

// The value that a pattern of BY or GET leads to: "#" is the element itself; in others the first
// star stands for the element, and a name behind "->" for a field of a hash. Nothing when there is
// no such string or field.
Result<std::optional<std::string>> FollowPattern(core::TransactionKeyspace& space, Bytes pattern,
                                                 Bytes element);

}  // namespace mayfly::server
