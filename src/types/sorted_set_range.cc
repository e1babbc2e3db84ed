#include "types/sorted_set_range.h"

#include <algorithm>

#include "base/coding.h"
#include "types/order_cursor.h"
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

// So few steps cost less than finding a place by its rank.
constexpr std::int64_t kFewSteps = 64;

// A range of names among equal scores, or a range of scores, as items in [from, to).
struct ItemRange {
  std::string from;
  std::string to;
};

ItemRange ItemsOf(const ScoreRange& range) {
  ItemRange items;
  AppendBigEndian64(items.from, OrderOfScore(range.min) + (range.min_excluded ? 1 : 0));
  AppendBigEndian64(items.to, OrderOfScore(range.max) + (range.max_excluded ? 0 : 1));
  return items;
}

// The item at which the names within a bound begin or end.
std::string ItemAt(double score, const NameBound& bound, NameBound::Kind behind) {
  std::string item(Bytes(OrderItem(score, bound.name)));
  if (bound.kind == behind) item.push_back('\0');
  return item;
}

ItemRange ItemsOf(const NameRange& range, double score) {
  ItemRange items;
  std::string behind_all;
  AppendBigEndian64(behind_all, OrderOfScore(score) + 1);
  items.from = range.min.kind == NameBound::Kind::kAboveAll
                   ? behind_all
                   : ItemAt(score, range.min, NameBound::Kind::kExcluded);
  items.to = range.max.kind == NameBound::Kind::kAboveAll
                 ? behind_all
                 : ItemAt(score, range.max, NameBound::Kind::kIncluded);
  if (range.max.kind == NameBound::Kind::kBelowAll) items.to = items.from;
  return items;
}

Result<std::string> EndItem(const ScoredOrder& set, OrderCursor::Way way) {
  OrderCursor walk(set.space, set.key, set.order.root(), way);
  walk.Enter();
  MAYFLY_RETURN_IF_ERROR(walk.status());
  return walk.Valid() ? std::string(walk.item()) : std::string();
}

class Walker {
 public:
  Walker(const ScoredOrder& set, const RangeQuery& query, ShowScored show)
      : set_(set),
        members_(static_cast<std::int64_t>(set.order.root().node.count)),
        reverse_(query.reverse),
        offset_(query.offset),
        limit_(query.limit),
        show_(show),
        walk_(set.space, set.key, set.order.root(),
              reverse_ ? OrderCursor::Way::kDown : OrderCursor::Way::kUp) {}

  Status operator()(const RankRange& range) {
    std::int64_t first = range.first < 0 ? range.first + members_ : range.first;
    std::int64_t last = range.last < 0 ? range.last + members_ : range.last;
    first = std::max<std::int64_t>(first, 0);
    last = std::min(last, members_ - 1);
    if (first > last) return {};
    limit_ = last - first + 1;
    offset_ = 0;
    MAYFLY_RETURN_IF_ERROR(EnterAt(first));
    return ShowWhile([](Bytes) { return true; });
  }

  Status operator()(const ScoreRange& range) {
    const ItemRange items = ItemsOf(range);
    if (items.from >= items.to) return {};
    reverse_ ? walk_.EnterAt(items.to) : walk_.EnterAt(items.from);
    // An item that begins with the bound itself belongs to the next score.
    if (reverse_ && walk_.Valid() && walk_.item() >= items.to) walk_.Next();
    const auto within = [&](Bytes item) { return reverse_ ? item >= items.from : item < items.to; };
    MAYFLY_RETURN_IF_ERROR(Skip());
    return ShowWhile(within);
  }

  Status operator()(const NameRange& range) {
    MAYFLY_TRY(const std::string first, EndItem(set_, OrderCursor::Way::kUp));
    MAYFLY_TRY(const std::string last, EndItem(set_, OrderCursor::Way::kDown));
    if (last.empty() || !IsAtOrAfter(NameOfItem(last), range.min)) return {};
    if (first.empty() || !IsAtOrBefore(NameOfItem(first), range.max)) return {};
    const auto entered = [&](Bytes item) {
      const Bytes met = NameOfItem(item);
      return reverse_ ? IsAtOrBefore(met, range.max) : IsAtOrAfter(met, range.min);
    };
    const std::string& end = reverse_ ? last : first;
    const NameBound& bound = reverse_ ? range.max : range.min;
    MAYFLY_TRY(const double score, ScoreOf(end));
    entered(end) ? walk_.Enter() : walk_.EnterAt(OrderItem(score, bound.name));
    while (walk_.Valid() && !entered(walk_.item())) walk_.Next();
    MAYFLY_TRY(const double last_score, ScoreOf(reverse_ ? first : last));
    if (score == last_score) MAYFLY_RETURN_IF_ERROR(Skip());
    return ShowWhile([&](Bytes item) {
      const Bytes met = NameOfItem(item);
      return reverse_ ? IsAtOrAfter(met, range.min) : IsAtOrBefore(met, range.max);
    });
  }

 private:
  // Enters so many steps after the end it comes from.
  Status EnterAt(std::int64_t steps) {
    if (steps < kFewSteps) {
      walk_.Enter();
      for (; steps > 0 && walk_.Valid(); --steps) walk_.Next();
      return walk_.status();
    }
    const std::int64_t rank = reverse_ ? members_ - 1 - steps : steps;
    const std::int64_t steps_left = members_ - 1 - steps;
    std::string item;
    if (steps_left < kFewSteps) {
      OrderCursor back(set_.space, set_.key, set_.order.root(),
                       reverse_ ? OrderCursor::Way::kUp : OrderCursor::Way::kDown);
      back.Enter();
      for (std::int64_t i = 0; i < steps_left && back.Valid(); ++i) back.Next();
      MAYFLY_RETURN_IF_ERROR(back.status());
      if (!back.Valid()) return UncountedOrder();
      item = back.item();
    } else {
      MAYFLY_TRY(auto place, set_.order.At(static_cast<std::uint64_t>(rank)));
      item = std::move(place.item);
    }
    walk_.EnterAt(item);
    return walk_.status();
  }

  // Skips a large offset by rank: either all items up to there are in the range, or the item there
  // is not.
  Status Skip() {
    if (offset_ < kFewSteps || !walk_.Valid()) return walk_.status();
    MAYFLY_TRY(const auto here, set_.order.Locate(walk_.item()));
    const auto rank = static_cast<std::int64_t>(here.before);
    const std::int64_t steps = reverse_ ? members_ - 1 - rank : rank;
    if (offset_ >= members_ - steps) {
      limit_ = 0;
      return {};
    }
    MAYFLY_RETURN_IF_ERROR(EnterAt(steps + offset_));
    offset_ = 0;
    return {};
  }

  Status ShowWhile(FunctionRef<bool(Bytes item)> within) {
    if (offset_ < 0) return {};
    for (; limit_ != 0 && walk_.Valid(); walk_.Next()) {
      if (!within(walk_.item())) break;
      if (offset_ > 0) {
        --offset_;
        continue;
      }
      MAYFLY_TRY(const double score, ScoreOf(walk_.item()));
      show_(NameOfItem(walk_.item()), score);
      if (limit_ > 0 && --limit_ == 0) break;
    }
    return walk_.status();
  }

  const ScoredOrder& set_;
  const std::int64_t members_;
  const bool reverse_;
  std::int64_t offset_;
  std::int64_t limit_;
  const ShowScored show_;
  OrderCursor walk_;
};

Result<std::uint64_t> CountItems(const CountedOrder& order, const ItemRange& items) {
  if (items.from >= items.to) return std::uint64_t{0};
  MAYFLY_TRY(const auto begin, order.Locate(items.from));
  MAYFLY_TRY(const auto end, order.Locate(items.to));
  return end.before - begin.before;
}

Result<std::uint64_t> CountByWalk(const ScoredOrder& set, const RangeQuery& query) {
  std::uint64_t count = 0;
  MAYFLY_RETURN_IF_ERROR(WalkRange(set, query, [&](Bytes, double) { ++count; }));
  return count;
}

}  // namespace

core::RowKey OrderItem(double score, Bytes name) { return {ScoreBytes(score), {}, name}; }

Bytes NameOfItem(Bytes item) { return item.substr(std::min(item.size(), kScoreBytes)); }

Status WalkRange(const ScoredOrder& set, const RangeQuery& query, ShowScored show) {
  Walker walker(set, query, show);
  return std::visit(walker, query.range);
}

Result<std::uint64_t> CountRange(const ScoredOrder& set, const RangeQuery& query) {
  if (set.order.root().levels == 0) return CountByWalk(set, query);
  if (const auto* scores = std::get_if<ScoreRange>(&query.range)) {
    return CountItems(set.order, ItemsOf(*scores));
  }
  if (const auto* names = std::get_if<NameRange>(&query.range)) {
    MAYFLY_TRY(const std::string first, EndItem(set, OrderCursor::Way::kUp));
    MAYFLY_TRY(const std::string last, EndItem(set, OrderCursor::Way::kDown));
    MAYFLY_TRY(const double lowest, ScoreOf(first));
    MAYFLY_TRY(const double highest, ScoreOf(last));
    if (lowest == highest) return CountItems(set.order, ItemsOf(*names, lowest));
  }
  return CountByWalk(set, query);
}

}  // namespace mayfly::types
