#include "engine/rocks/reader/hidden_ranges.h"

#include <algorithm>

namespace mayfly::engine {

const HiddenRanges::Range* HiddenRanges::Find(Bytes key) const {
  const auto behind = std::upper_bound(
      ranges_.begin(), ranges_.end(), key,
      [](Bytes wanted, const Range& range) { return wanted < Bytes(range.begin); });
  if (behind == ranges_.begin()) return nullptr;
  const Range& range = *std::prev(behind);
  return key < Bytes(range.end) ? &range : nullptr;
}

std::shared_ptr<const HiddenRanges> HiddenRanges::With(Bytes begin, Bytes end) const {
  Range added{std::string(begin), std::string(end)};
  auto all = std::make_shared<HiddenRanges>();
  for (const Range& range : ranges_) {
    if (range.end < added.begin || added.end < range.begin) {
      all->ranges_.push_back(range);
    } else {
      added.begin = std::min(added.begin, range.begin);
      added.end = std::max(added.end, range.end);
    }
  }
  const auto place =
      std::lower_bound(all->ranges_.begin(), all->ranges_.end(), added,
                       [](const Range& a, const Range& b) { return a.begin < b.begin; });
  all->ranges_.insert(place, std::move(added));
  return all;
}

}  // namespace mayfly::engine
