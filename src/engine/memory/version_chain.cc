#include "engine/memory/version_chain.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace mayfly::engine {

Value VersionChain::At(Sequence state) const {
  // Most readers read the newest.
  if (newest_since() <= state) return newest();
  const auto later = std::upper_bound(
      versions_.begin(), versions_.end(), state,
      [](Sequence wanted, const Version& version) { return wanted < version.since; });
  return later == versions_.begin() ? nullptr : std::prev(later)->value;
}

void VersionChain::Append(Sequence since, Value value) {
  assert(versions_.empty() || versions_.back().since < since);
  versions_.push_back({.since = since, .value = std::move(value)});
}

Value VersionChain::TakeOldest() {
  assert(versions_.size() > 1);
  Value oldest = std::move(versions_.front().value);
  versions_.pop_front();
  return oldest;
}

}  // namespace mayfly::engine
