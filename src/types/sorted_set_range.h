// sorted_set_range.h - parts of a sorted set: by rank, by score, or by name where scores are equal.
// A range becomes a place to enter the order at, and a place to leave it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/function_ref.h"
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

// Asks for equal scores. With others it takes what Redis takes of a small sorted set: nothing when
// the last name of all lies before `min` or the first behind `max`; else, in the direction of the
// query, the first name within the bound it meets and all up to the first beyond the other bound.
struct NameRange {
  NameBound min;
  NameBound max;
};

struct RangeQuery {
  std::variant<RankRange, ScoreRange, NameRange> range;
  bool reverse = false;
  // Of what lies in the range, leave the first ones out, and show no more than so many. A negative
  // limit does not bind; a negative offset leaves all out. Ignored by ranges of ranks.
  std::int64_t offset = 0;
  std::int64_t limit = -1;
};

// Takes a name and its score; the view holds during the call.
using ShowScored = FunctionRef<void(Bytes name, double score)>;

// The item of a name in the order of a sorted set; and the name of an item.
std::string OrderItem(double score, Bytes name);
Bytes NameOfItem(Bytes item);

// A sorted set that is there, within a latched transaction.
struct ScoredOrder {
  core::LatchedKeyspace& space;
  Bytes key;
  const CountedOrder& order;
};

Status WalkRange(const ScoredOrder& set, const RangeQuery& query, ShowScored show);

// How many WalkRange() would show, but for offset and limit, which must not be set.
Result<std::uint64_t> CountRange(const ScoredOrder& set, const RangeQuery& query);

}  // namespace mayfly::types
