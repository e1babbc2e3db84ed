// sorted_set.h - sorted sets: names with scores, in the order of scores and then of names.
//   head "Z" | root of the order        member MemberKey(name) -> score
// The order is a counted one (counted_order.h) of items | score | name |; scores are the 8 bytes of
// score.h, so the order of items is that of the set. Invariant: a member with a score has the one
// item with that score, written and removed together.
// A SortedSet is one key within a latched transaction. It exists while it has a name: the first one
// makes it, and it is removed with the last. Borrows the space and the key's bytes. Threads: one at
// a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/random.h"
#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "types/counted_order.h"
#include "types/sorted_set_range.h"

namespace mayfly::types {

// When a score may be written, and how; as ZADD's options.
struct ScoreRule {
  bool only_new = false;
  bool only_present = false;
  bool only_greater = false;  // These two do not bind new names.
  bool only_less = false;
  bool increment = false;  // The score is added to the present one.
};

struct ScoreOutcome {
  bool allowed = false;  // By the rule. If false, the other fields mean nothing.
  bool added = false;
  bool changed = false;  // A present name got another score.
  double score = 0;      // The present score; -0 is stored as 0.
};

struct ScoredName {
  std::string name;
  double score;
};

struct Rank {
  std::uint64_t rank;  // 0 has the lowest score.
  double score;
};

class SortedSet {
 public:
  // WrongType when the key holds another type. A key without a row is an empty sorted set.
  static Result<SortedSet> Open(core::TransactionKeyspace& space, Bytes key);

  // Replaces the key's value, deadline included, by a sorted set of these, with names all different
  // and at least one.
  static Status Replace(core::TransactionKeyspace& space, Bytes key,
                        std::span<const ScoredName> all);

  bool empty() const { return size_ == 0; }
  std::uint64_t size() const { return size_; }

  // Whether the sorted set was empty when it was opened, and is not now.
  bool is_new() const { return was_empty_ && size_ > 0; }

  // Score and rank of a name; nothing when it is not in the set.
  Result<std::optional<double>> Score(Bytes name) const;
  Result<std::optional<Rank>> RankOf(Bytes name) const;

  // Writes a score by the rule. Invalid when the sum is nan. `score` must not be nan.
  Result<ScoreOutcome> Put(Bytes name, double score, const ScoreRule& rule = {});

  // True when the name was in the set.
  Result<bool> Remove(Bytes name);

  // Removes the names in the range and returns them, in the direction of the query.
  Result<std::vector<ScoredName>> Take(const RangeQuery& query);

  // Shows the names in the range, in its direction. The set must not change meanwhile.
  Status Walk(const RangeQuery& query, ShowScored show) const;

  // How many names Walk() would show without offset and limit, at the cost of finding both ends.
  Result<std::uint64_t> Count(const RangeQuery& query) const;

  // Show names drawn at random, as in random_members.h: different ones, or each out of all.
  Status DrawDistinct(std::uint64_t count, Random& random, ShowScored show) const;
  Status DrawWithRepetition(std::uint64_t count, Random& random, ShowScored show) const;

 private:
  SortedSet(core::TransactionKeyspace& space, Bytes key, std::uint64_t size, const OrderRoot& root)
      : space_(space), key_(key), was_empty_(size == 0), size_(size), order_(space, key, root) {}

  Result<std::optional<double>> ScoreOfMember(Bytes member) const;
  Status Make();
  Status Write(Bytes name, Bytes member, double score, std::optional<double> old);
  Status WriteHead();
  Status Drop(Bytes name, double score);

  core::TransactionKeyspace& space_;
  Bytes key_;  // The caller's.
  bool was_empty_;
  std::uint64_t size_;
  CountedOrder order_;
  bool plain_head_ = true;  // The stored head has no bytes of the order.
};

}  // namespace mayfly::types
