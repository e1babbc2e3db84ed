#include "types/sorted_set.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "types/member_key.h"
#include "types/random_members.h"
#include "types/score.h"
#include "types/value_type.h"

namespace mayfly::types {
namespace {

std::string HeadOf(const OrderRoot& root) {
  std::string head(1, static_cast<char>(ValueType::kSortedSet));
  AppendRoot(head, root);
  return head;
}

// Receives drawn members. Keeps the first error; the draw continues, since draws are few.
class ScoredMembers {
 public:
  explicit ScoredMembers(ShowScored show) : show_(show) {}

  void operator()(Bytes member, Bytes value) {
    const Result<double> score = ScoreOf(value);
    if (score) return show_(NameOfMember(member), *score);
    if (status_.ok()) status_ = score.error();
  }
  const Status& status() const { return status_; }

 private:
  const ShowScored show_;
  Status status_;
};

bool IsAllowed(const ScoreRule& rule, std::optional<double> old, double score) {
  if (!old) return !rule.only_present;
  if (rule.only_new) return false;
  if (rule.only_greater && score <= *old) return false;
  return !(rule.only_less && score >= *old);
}

}  // namespace

Result<SortedSet> SortedSet::Open(core::TransactionKeyspace& space, Bytes key) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindTyped(space, key, ValueType::kSortedSet, row));
  if (!row.exists) return SortedSet(space, key, 0, {});
  OrderRoot root;
  Bytes rest = row.value.substr(1);
  if (!EatRoot(rest, row.members, root) || !rest.empty()) {
    return Status::Corruption("the head of a sorted set cannot be read; run a check");
  }
  SortedSet found(space, key, row.members, root);
  found.plain_head_ = row.value.size() == 1;
  return found;
}

// Inserts in the order of scores, which leaves full leaves.
Status SortedSet::Replace(core::TransactionKeyspace& space, Bytes key,
                          std::span<const ScoredName> all) {
  std::vector<const ScoredName*> sorted;
  sorted.reserve(all.size());
  for (const ScoredName& one : all) sorted.push_back(&one);
  std::sort(sorted.begin(), sorted.end(), [](const ScoredName* a, const ScoredName* b) {
    return std::tie(a->score, a->name) < std::tie(b->score, b->name);
  });
  SortedSet fresh(space, key, 0, {});
  MAYFLY_RETURN_IF_ERROR(fresh.Make());
  for (const ScoredName* one : sorted) {
    MAYFLY_RETURN_IF_ERROR(fresh.Write(one->name, MemberKey(one->name), one->score, std::nullopt));
  }
  return fresh.WriteHead();
}

Status SortedSet::Make() {
  order_ = CountedOrder(space_, key_, {});
  plain_head_ = true;
  return space_.MakeCollection(key_, HeadOf({}));
}

// Most heads of small sorted sets never change.
Status SortedSet::WriteHead() {
  const std::string head = HeadOf(order_.root());
  if (plain_head_ && head.size() == 1) return {};
  plain_head_ = head.size() == 1;
  return space_.SetHead(key_, head);
}

Result<std::optional<double>> SortedSet::Score(Bytes name) const {
  return ScoreOfMember(MemberKey(name));
}

Result<std::optional<double>> SortedSet::ScoreOfMember(Bytes member) const {
  if (empty()) return std::optional<double>();
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(space_.FindMember(key_, member, found));
  if (!found.exists) return std::optional<double>();
  MAYFLY_TRY(const double score, ScoreOf(found.value));
  return std::optional(score);
}

Result<std::optional<Rank>> SortedSet::RankOf(Bytes name) const {
  MAYFLY_TRY(const std::optional<double> score, Score(name));
  if (!score) return std::optional<Rank>();
  MAYFLY_TRY(const auto found, order_.Locate(OrderItem(*score, name)));
  if (!found.exists) return UncountedOrder();
  return std::optional(Rank{found.before, *score});
}

Result<ScoreOutcome> SortedSet::Put(Bytes name, double score, const ScoreRule& rule) {
  const core::RowKey member = MemberKey(name);
  MAYFLY_TRY(const std::optional<double> old, ScoreOfMember(member));
  if (rule.increment && old) score += *old;
  if (std::isnan(score)) return Status::Invalid("resulting score is not a number (NaN)");
  if (!IsAllowed(rule, old, score)) return ScoreOutcome{};
  const ScoreOutcome outcome{
      .allowed = true, .added = !old, .changed = old && *old != score, .score = score};
  if (!outcome.added && !outcome.changed) return outcome;
  if (empty()) MAYFLY_RETURN_IF_ERROR(Make());
  MAYFLY_RETURN_IF_ERROR(Write(name, member, score, old));
  MAYFLY_RETURN_IF_ERROR(WriteHead());
  return outcome;
}

Status SortedSet::Write(Bytes name, Bytes member, double score, std::optional<double> old) {
  const bool known_new = !old;
  MAYFLY_RETURN_IF_ERROR(
      space_.PutMember(key_, member, ScoreBytes(score), core::MemberLifetime::Forever(), known_new)
          .status());
  if (known_new) ++size_;
  if (old) MAYFLY_RETURN_IF_ERROR(order_.Remove(OrderItem(*old, name)));
  return order_.Insert(OrderItem(score, name));
}

Result<bool> SortedSet::Remove(Bytes name) {
  MAYFLY_TRY(const std::optional<double> score, Score(name));
  if (!score) return false;
  MAYFLY_RETURN_IF_ERROR(Drop(name, *score));
  return true;
}

// The order first: with its last member the whole collection is removed.
Status SortedSet::Drop(Bytes name, double score) {
  if (size_ > 1) {
    MAYFLY_RETURN_IF_ERROR(order_.Remove(OrderItem(score, name)));
    MAYFLY_RETURN_IF_ERROR(WriteHead());
  }
  MAYFLY_RETURN_IF_ERROR(space_.RemoveMember(key_, MemberKey(name)).status());
  --size_;
  return {};
}

Result<std::vector<ScoredName>> SortedSet::Take(const RangeQuery& query) {
  std::vector<ScoredName> found;
  MAYFLY_RETURN_IF_ERROR(Walk(query, [&](Bytes name, double score) {
    found.push_back({std::string(name), score});
  }));
  if (!empty() && found.size() == size_) {  // Removes all at the cost of one.
    size_ = 0;
    MAYFLY_RETURN_IF_ERROR(space_.Delete(key_).status());
    return found;
  }
  for (const ScoredName& one : found) MAYFLY_RETURN_IF_ERROR(Drop(one.name, one.score));
  return found;
}

Status SortedSet::Walk(const RangeQuery& query, ShowScored show) const {
  if (empty()) return {};
  return WalkRange({space_, key_, order_}, query, show);
}

Result<std::uint64_t> SortedSet::Count(const RangeQuery& query) const {
  if (empty()) return std::uint64_t{0};
  return CountRange({space_, key_, order_}, query);
}

Status SortedSet::DrawDistinct(std::uint64_t count, Random& random, ShowScored show) const {
  if (empty()) return {};
  MAYFLY_TRY(const auto cursor, space_.NewMemberCursor(key_, core::Part::kMembers));
  ScoredMembers scored(show);
  MAYFLY_RETURN_IF_ERROR(types::DrawDistinct(*cursor, size_, count, random, scored));
  return scored.status();
}

Status SortedSet::DrawWithRepetition(std::uint64_t count, Random& random, ShowScored show) const {
  if (empty()) return {};
  MAYFLY_TRY(const auto cursor, space_.NewMemberCursor(key_, core::Part::kMembers));
  ScoredMembers scored(show);
  MAYFLY_RETURN_IF_ERROR(types::DrawWithRepetition(*cursor, size_, count, random, scored));
  return scored.status();
}

}  // namespace mayfly::types
