#include "types/sorted_set.h"

#include <cmath>

#include "types/member_key.h"
#include "types/random_members.h"
#include "types/score.h"
#include "types/value_type.h"

namespace mayfly::types {
namespace {

constexpr Bytes kHead = "z";

Status Unordered() {
  return Status::Corruption("a member of a sorted set has no place in its order; run a check");
}

// What random draws hand on. The first damage met is kept, and ends nothing: draws are few.
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

Result<SortedSet> SortedSet::Open(core::WorkSpace& space, Bytes key) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindTyped(space, key, ValueType::kSortedSet, row));
  return SortedSet(space, key, row.exists ? row.members : 0);
}

Status SortedSet::Replace(core::WorkSpace& space, Bytes key, std::span<const ScoredName> all) {
  MAYFLY_RETURN_IF_ERROR(space.MakeCollection(key, kHead));
  SortedSet fresh(space, key, 0);
  for (const ScoredName& one : all) {
    MAYFLY_RETURN_IF_ERROR(fresh.Write(one.name, one.score, std::nullopt));
  }
  return {};
}

Result<std::optional<double>> SortedSet::Score(Bytes name) const {
  if (empty()) return std::optional<double>();
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(space_.FindMember(key_, MemberKey(name), found));
  if (!found.exists) return std::optional<double>();
  MAYFLY_TRY(const double score, ScoreOf(found.value));
  return std::optional(score);
}

// Two cursors go apart from the name; whichever meets its end first knows the rank.
Result<std::optional<Rank>> SortedSet::RankOf(Bytes name) const {
  MAYFLY_TRY(const std::optional<double> score, Score(name));
  if (!score) return std::optional<Rank>();
  MAYFLY_TRY(const auto down, space_.NewMemberCursor(key_, core::Part::kSides));
  MAYFLY_TRY(const auto up, space_.NewMemberCursor(key_, core::Part::kSides));
  const std::string side = SideKey(*score, name);
  down->SeekAtOrAfter(side);
  up->SeekAtOrAfter(side);
  if (!up->Valid() || up->member() != side) {
    MAYFLY_RETURN_IF_ERROR(up->status());
    return Unordered();
  }
  for (std::uint64_t steps = 0; steps < size_; ++steps) {
    down->Prev();
    if (!down->Valid()) {
      MAYFLY_RETURN_IF_ERROR(down->status());
      return std::optional(Rank{steps, *score});
    }
    up->Next();
    if (!up->Valid()) {
      MAYFLY_RETURN_IF_ERROR(up->status());
      return std::optional(Rank{size_ - 1 - steps, *score});
    }
  }
  return Unordered();
}

Result<ScoreOutcome> SortedSet::Put(Bytes name, double score, const ScoreRule& rule) {
  MAYFLY_TRY(const std::optional<double> old, Score(name));
  if (rule.increment && old) score += *old;
  if (std::isnan(score)) return Status::Invalid("resulting score is not a number (NaN)");
  if (score == 0) score = 0;  // Never -0, which is not stored.
  if (!IsAllowed(rule, old, score)) return ScoreOutcome{};
  const ScoreOutcome outcome{
      .allowed = true, .added = !old, .changed = old && *old != score, .score = score};
  if (empty()) MAYFLY_RETURN_IF_ERROR(space_.MakeCollection(key_, kHead));
  if (outcome.added || outcome.changed) MAYFLY_RETURN_IF_ERROR(Write(name, score, old));
  return outcome;
}

Status SortedSet::Write(Bytes name, double score, std::optional<double> old) {
  const bool known_new = !old;
  MAYFLY_RETURN_IF_ERROR(space_
                             .PutMember(key_, MemberKey(name), ScoreBytes(score),
                                        core::MemberLifetime::Forever(), known_new)
                             .status());
  if (known_new) ++size_;
  if (old) MAYFLY_RETURN_IF_ERROR(space_.RemoveSide(key_, SideKey(*old, name)));
  return space_.PutSide(key_, SideKey(score, name), {});
}

Result<bool> SortedSet::Remove(Bytes name) {
  MAYFLY_TRY(const std::optional<double> score, Score(name));
  if (!score) return false;
  // The side first: with the last member the collection goes.
  MAYFLY_RETURN_IF_ERROR(space_.RemoveSide(key_, SideKey(*score, name)));
  MAYFLY_RETURN_IF_ERROR(space_.RemoveMember(key_, MemberKey(name)).status());
  --size_;
  return true;
}

Result<std::vector<ScoredName>> SortedSet::Take(const RangeQuery& query) {
  std::vector<ScoredName> found;
  MAYFLY_RETURN_IF_ERROR(Walk(query, [&](Bytes name, double score) {
    found.push_back({std::string(name), score});
  }));
  if (!empty() && found.size() == size_) {  // All go at the cost of one.
    size_ = 0;
    MAYFLY_RETURN_IF_ERROR(space_.Delete(key_).status());
    return found;
  }
  for (const ScoredName& one : found) {
    MAYFLY_RETURN_IF_ERROR(space_.RemoveSide(key_, SideKey(one.score, one.name)));
    MAYFLY_RETURN_IF_ERROR(space_.RemoveMember(key_, MemberKey(one.name)).status());
  }
  size_ -= found.size();
  return found;
}

Status SortedSet::Walk(const RangeQuery& query, ShowScored show) const {
  if (empty()) return {};
  return WalkRange(space_, key_, size_, query, show);
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
