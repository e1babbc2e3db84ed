#include "types/set_algebra.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "types/member_key.h"
#include "types/score.h"
#include "types/value_type.h"

namespace mayfly::types {
namespace {

using Cursor = std::unique_ptr<core::MemberCursor>;
using Scores = std::vector<std::optional<double>>;

constexpr double kScoreOfSetMembers = 1;

Result<double> ScoreIn(const Operand& operand, Bytes value) {
  if (!operand.scored) return kScoreOfSetMembers;
  return ScoreOf(value);
}

Result<Cursor> CursorOver(core::TransactionKeyspace& space, const Operand& operand) {
  MAYFLY_TRY(Cursor cursor, space.NewMemberCursor(operand.key, core::Part::kMembers));
  cursor->SeekToFirst();
  return cursor;
}

// The member's score; nothing when it is not in the operand.
Result<std::optional<double>> LookUp(core::TransactionKeyspace& space, const Operand& operand,
                                     Bytes member) {
  if (operand.members == 0) return std::optional<double>();
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(space.FindMember(operand.key, member, found));
  if (!found.exists) return std::optional<double>();
  MAYFLY_TRY(const double score, ScoreIn(operand, found.value));
  return std::optional(score);
}

// The cursors of a union, each at its first member that has not been shown.
class Merge {
 public:
  Merge(core::TransactionKeyspace& space, std::span<const Operand> operands)
      : space_(space), operands_(operands) {}

  Status Open() {
    for (const Operand& operand : operands_) {
      cursors_.emplace_back();
      if (operand.members == 0) continue;
      MAYFLY_TRY(cursors_.back(), CursorOver(space_, operand));
    }
    return {};
  }

  // Returns the smallest member with its score in each operand, and moves past it. False at the end
  // of all.
  Result<bool> Next(std::string& member, Scores& scores) {
    const core::MemberCursor* smallest = nullptr;
    for (const Cursor& cursor : cursors_) {
      if (!InSight(cursor)) continue;
      if (smallest == nullptr || cursor->member() < smallest->member()) smallest = cursor.get();
    }
    if (smallest == nullptr) return false;
    member = smallest->member();
    scores.assign(cursors_.size(), std::nullopt);
    for (std::size_t i = 0; i < cursors_.size(); ++i) {
      if (!InSight(cursors_[i]) || cursors_[i]->member() != member) continue;
      MAYFLY_TRY(scores[i], ScoreIn(operands_[i], cursors_[i]->value()));
      cursors_[i]->Next();
    }
    return true;
  }

  Status status() const {
    for (const Cursor& cursor : cursors_) {
      if (cursor != nullptr) MAYFLY_RETURN_IF_ERROR(cursor->status());
    }
    return {};
  }

 private:
  static bool InSight(const Cursor& cursor) { return cursor != nullptr && cursor->Valid(); }

  core::TransactionKeyspace& space_;
  const std::span<const Operand> operands_;
  std::vector<Cursor> cursors_;  // By operand; null for a key without a row.
};

}  // namespace

Result<Operand> FindOperand(core::TransactionKeyspace& space, Bytes key, OperandKind kind) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(space.Find(key, row));
  if (!row.exists) return Operand{.key = key};
  MAYFLY_TRY(const ValueType type, TypeOf(row.is_collection, row.value));
  const bool scored = type == ValueType::kSortedSet && kind == OperandKind::kSetsAndSortedSets;
  if (type != ValueType::kSet && !scored) {
    return Status::WrongType("the key holds neither a set nor what counts as one here");
  }
  return Operand{.key = key, .scored = scored, .members = row.members};
}

Status WalkUnion(core::TransactionKeyspace& space, std::span<const Operand> operands,
                 ShowShared show) {
  Merge merge(space, operands);
  MAYFLY_RETURN_IF_ERROR(merge.Open());
  std::string member;
  Scores scores;
  while (true) {
    MAYFLY_TRY(const bool more, merge.Next(member, scores));
    if (!more) return merge.status();
    if (!show(NameOfMember(member), scores)) return {};
  }
}

Status WalkIntersection(core::TransactionKeyspace& space, std::span<const Operand> operands,
                        ShowShared show) {
  const auto smallest =
      std::min_element(operands.begin(), operands.end(),
                       [](const Operand& a, const Operand& b) { return a.members < b.members; });
  if (smallest == operands.end() || smallest->members == 0) return {};
  MAYFLY_TRY(const Cursor cursor, CursorOver(space, *smallest));
  Scores scores(operands.size());
  for (; cursor->Valid(); cursor->Next()) {
    bool in_all = true;
    for (std::size_t i = 0; i < operands.size() && in_all; ++i) {
      if (&operands[i] == &*smallest) {
        MAYFLY_TRY(scores[i], ScoreIn(operands[i], cursor->value()));
      } else {
        MAYFLY_TRY(scores[i], LookUp(space, operands[i], cursor->member()));
      }
      in_all = scores[i].has_value();
    }
    if (in_all && !show(NameOfMember(cursor->member()), scores)) return {};
  }
  return cursor->status();
}

Status WalkDifference(core::TransactionKeyspace& space, std::span<const Operand> operands,
                      ShowShared show) {
  if (operands.empty() || operands.front().members == 0) return {};
  MAYFLY_TRY(const Cursor cursor, CursorOver(space, operands.front()));
  Scores scores(operands.size());
  for (; cursor->Valid(); cursor->Next()) {
    bool alone = true;
    for (std::size_t i = 1; i < operands.size() && alone; ++i) {
      MAYFLY_TRY(const auto other, LookUp(space, operands[i], cursor->member()));
      alone = !other.has_value();
    }
    if (!alone) continue;
    MAYFLY_TRY(scores.front(), ScoreIn(operands.front(), cursor->value()));
    if (!show(NameOfMember(cursor->member()), scores)) return {};
  }
  return cursor->status();
}

}  // namespace mayfly::types
