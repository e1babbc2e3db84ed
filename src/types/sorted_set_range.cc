#include "types/sorted_set_range.h"

#include <algorithm>
#include <memory>

#include "base/coding.h"
#include "types/score.h"

namespace mayfly::types {
namespace {

bool IsAtOrAfter(Bytes name, const NameBound& min) {
  switch (min.kind) {
    case NameBound::Kind::kBelowAll: return true;
    case NameBound::Kind::kIncluded: return name >= min.name;
    case NameBound::Kind::kExcluded: return name > min.name;
    case NameBound::Kind::kAboveAll: break;
  }
  return false;
}

bool IsAtOrBefore(Bytes name, const NameBound& max) {
  switch (max.kind) {
    case NameBound::Kind::kAboveAll: return true;
    case NameBound::Kind::kIncluded: return name <= max.name;
    case NameBound::Kind::kExcluded: return name < max.name;
    case NameBound::Kind::kBelowAll: break;
  }
  return false;
}

class Walker {
 public:
  Walker(core::WorkSpace& space, Bytes key, std::uint64_t members, const RangeQuery& query,
         ShowScored show)
      : space_(space),
        key_(key),
        members_(static_cast<std::int64_t>(members)),
        reverse_(query.reverse),
        offset_(query.offset),
        limit_(query.limit),
        show_(show) {}

  Status operator()(const RankRange& range) {
    std::int64_t first = range.first < 0 ? range.first + members_ : range.first;
    std::int64_t last = range.last < 0 ? range.last + members_ : range.last;
    first = std::max<std::int64_t>(first, 0);
    last = std::min(last, members_ - 1);
    if (first > last) return {};
    MAYFLY_RETURN_IF_ERROR(Open({}));
    EnterAtRank(reverse_ ? members_ - 1 - first : first);
    offset_ = 0;
    limit_ = last - first + 1;
    return ShowWhile([](Bytes) { return true; });
  }

  Status operator()(const ScoreRange& range) {
    const std::uint64_t begin = OrderOfScore(range.min) + (range.min_excluded ? 1 : 0);
    const std::uint64_t end = OrderOfScore(range.max) + (range.max_excluded ? 0 : 1);
    if (begin >= end) return {};
    std::string from;
    std::string to;
    AppendBigEndian64(from, begin);
    AppendBigEndian64(to, end);
    MAYFLY_RETURN_IF_ERROR(Open({.begin = from, .end = to}));
    EnterAtEnd();
    return ShowWhile([](Bytes) { return true; });
  }

  Status operator()(const NameRange& range) {
    MAYFLY_RETURN_IF_ERROR(Open({}));
    cursor_->SeekToLast();
    if (!cursor_->Valid() || !IsAtOrAfter(name(), range.min)) return cursor_->status();
    cursor_->SeekToFirst();
    if (!cursor_->Valid() || !IsAtOrBefore(name(), range.max)) return cursor_->status();
    EnterAtEnd();
    if (!cursor_->Valid()) return cursor_->status();
    MAYFLY_TRY(const double score, ScoreOf(cursor_->member()));
    const auto entered = [&](Bytes met) {
      return reverse_ ? IsAtOrBefore(met, range.max) : IsAtOrAfter(met, range.min);
    };
    const NameBound& bound = reverse_ ? range.max : range.min;
    if (!entered(name())) Seek(SideKey(score, bound.name));
    while (cursor_->Valid() && !entered(name())) Step();
    return ShowWhile([&](Bytes shown) {
      return reverse_ ? IsAtOrAfter(shown, range.min) : IsAtOrBefore(shown, range.max);
    });
  }

 private:
  Status Open(const core::MemberRange& range) {
    MAYFLY_TRY(cursor_, space_.NewMemberCursor(key_, core::Part::kSides, range));
    return {};
  }

  Bytes name() const { return NameOfSide(cursor_->member()); }

  void EnterAtEnd() { reverse_ ? cursor_->SeekToLast() : cursor_->SeekToFirst(); }
  void Seek(Bytes side) { reverse_ ? cursor_->SeekAtOrBefore(side) : cursor_->SeekAtOrAfter(side); }
  void Step() { reverse_ ? cursor_->Prev() : cursor_->Next(); }

  // Sides are not counted, so a rank is so many steps away; from the nearer end at most half.
  void EnterAtRank(std::int64_t rank) {
    if (rank < members_ / 2) {
      cursor_->SeekToFirst();
      for (; rank > 0 && cursor_->Valid(); --rank) cursor_->Next();
    } else {
      cursor_->SeekToLast();
      for (; rank < members_ - 1 && cursor_->Valid(); ++rank) cursor_->Prev();
    }
  }

  Status ShowWhile(FunctionRef<bool(Bytes name)> within) {
    if (offset_ < 0) return {};
    for (; limit_ != 0 && cursor_->Valid(); Step()) {
      if (!within(name())) break;
      if (offset_ > 0) {
        --offset_;
        continue;
      }
      MAYFLY_TRY(const double score, ScoreOf(cursor_->member()));
      show_(name(), score);
      if (limit_ > 0) --limit_;
    }
    return cursor_->status();
  }

  core::WorkSpace& space_;
  const Bytes key_;  // The caller's.
  const std::int64_t members_;
  const bool reverse_;
  std::int64_t offset_;
  std::int64_t limit_;
  const ShowScored show_;
  std::unique_ptr<core::MemberCursor> cursor_;
};

}  // namespace

std::string SideKey(double score, Bytes name) { return ScoreBytes(score).append(name); }

Bytes NameOfSide(Bytes side) { return side.substr(std::min(side.size(), kScoreBytes)); }

Status WalkRange(core::WorkSpace& space, Bytes key, std::uint64_t members, const RangeQuery& query,
                 ShowScored show) {
  Walker walker(space, key, members, query, show);
  return std::visit(walker, query.range);
}

}  // namespace mayfly::types
