// sorted_set.h - sorted sets: names with scores, in the order of scores and then of names.
//   head "Z" | root of the order        member MemberKey(name) -> score
// The order is a counted one (counted_order.h) of items | score | name |; scores are the 8 bytes of
// score.h, so the order of items is that of the set. Invariant: a member with a score has the one
// item with that score, written and removed together.
// A SortedSet is one key within a latched transaction. It is there while it has a name: the first one makes it,
// and it goes with the last. Borrows the space and the key's bytes; one thread at a time.
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

// When a score may be written, and what it means; as ZADD's options.
struct ScoreRule {
  bool only_new = false;
  bool only_present = false;
  bool only_greater = false;  // These two do not bind new names.
  bool only_less = false;
  bool increment = false;  // The score is to be added to the present one.
};

struct ScoreOutcome {
  bool allowed = false;  // By the rule. All else says nothing without this.
  bool added = false;
  bool changed = false;  // A present name got another score.
  double score = 0;      // That it has now; -0 is stored as 0.
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
  // WrongType when the key holds something else. A key without a row is an empty sorted set.
  static Result<SortedSet> Open(core::LatchedKeyspace& space, Bytes key);

  // Puts these, names all different and at least one, in place of whatever the key held, deadline
  // included.
  static Status Replace(core::LatchedKeyspace& space, Bytes key, std::span<const ScoredName> all);

  bool empty() const { return size_ == 0; }
  std::uint64_t size() const { return size_; }

  // Whether it was not there when it was opened, and is now.
  bool is_new() const { return was_empty_ && size_ > 0; }

  // Nothing when the name is not there; so for the rank.
  Result<std::optional<double>> Score(Bytes name) const;
  Result<std::optional<Rank>> RankOf(Bytes name) const;

  // Invalid when the sum is not a number. `score` must be one.
  Result<ScoreOutcome> Put(Bytes name, double score, const ScoreRule& rule = {});

  // True when the name was there.
  Result<bool> Remove(Bytes name);

  // Removes what lies in the range and returns it, in the direction of the query.
  Result<std::vector<ScoredName>> Take(const RangeQuery& query);

  // Shows what lies in the range, in its direction. The set must stay as it is meanwhile.
  Status Walk(const RangeQuery& query, ShowScored show) const;

  // How many that would be, without offset and limit, at the cost of finding both ends.
  Result<std::uint64_t> Count(const RangeQuery& query) const;

  // Shows names drawn by chance, as in random_members.h: different ones, or each out of all.
  Status DrawDistinct(std::uint64_t count, Random& random, ShowScored show) const;
  Status DrawWithRepetition(std::uint64_t count, Random& random, ShowScored show) const;

 private:
  SortedSet(core::LatchedKeyspace& space, Bytes key, std::uint64_t size, const OrderRoot& root)
      : space_(space), key_(key), was_empty_(size == 0), size_(size), order_(space, key, root) {}

  Status Make();
  Status Write(Bytes name, double score, std::optional<double> old);
  Status WriteHead();
  Status Drop(Bytes name, double score);

  core::LatchedKeyspace& space_;
  Bytes key_;  // The caller's.
  bool was_empty_;
  std::uint64_t size_;
  CountedOrder order_;
  bool plain_head_ = true;  // What is stored is the head of an order without bytes.
};

}  // namespace mayfly::types
