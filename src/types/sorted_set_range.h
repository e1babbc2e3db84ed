// sorted_set_range.h - ranges of a sorted set: by rank, by score, or by name at equal scores.
// A range becomes the place where a scan of the order begins, and the place where it ends.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/function_ref.h"
#include "core/layout/keys.h"
#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "types/counted_order.h"

namespace mayfly::types {

// Both inclusive, counted in the direction of the query; negative ones from its end: -1 is last.
struct RankRange {
  std::int64_t first;
  std::int64_t last;
};

struct ScoreRange {
  double min;
  double max;
  bool min_excluded = false;
  bool max_excluded = false;
};

struct NameBound {
  enum class Kind : std::uint8_t { kBelowAll, kIncluded, kExcluded, kAboveAll };
  Kind kind;
  Bytes name = {};  // The caller's.
};

// Meant for equal scores. With different scores the result is that of Redis for a small sorted set:
// nothing when the last name of all lies before `min` or the first after `max`; else, in the
// direction of the query, from the first name within the bound met first up to the first name
// beyond the other bound.
struct NameRange {
  NameBound min;
  NameBound max;
};

struct RangeQuery {
  std::variant<RankRange, ScoreRange, NameRange> range;
  bool reverse = false;
  // Skips the first `offset` names of the range, and shows at most `limit`. A negative limit is no
  // limit; a negative offset skips all. Ignored by ranges of ranks.
  std::int64_t offset = 0;
  std::int64_t limit = -1;
};

// Receives a name and its score; the view holds during the call.
using ShowScored = FunctionRef<void(Bytes name, double score)>;

// The item of a name in the order of a sorted set; and the name of an item.
core::RowKey OrderItem(double score, Bytes name);
Bytes NameOfItem(Bytes item);

// An existing sorted set within a latched transaction.
struct ScoredOrder {
  core::TransactionKeyspace& space;
  Bytes key;
  const CountedOrder& order;
};

Status WalkRange(const ScoredOrder& set, const RangeQuery& query, ShowScored show);

// How many names WalkRange() would show. Offset and limit must not be set.
Result<std::uint64_t> CountRange(const ScoredOrder& set, const RangeQuery& query);

}  // namespace mayfly::types
