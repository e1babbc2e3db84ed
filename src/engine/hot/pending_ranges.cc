#include "engine/hot/pending_ranges.h"

#include <algorithm>
#include <mutex>

namespace mayfly::engine::hot {

void PendingRanges::Add(Role role, Bytes begin, Bytes end, Sequence sequence) {
  const std::lock_guard lock(mutex_);
  ranges_.push_back(
      {.role = role, .begin = std::string(begin), .end = std::string(end), .sequence = sequence});
  count_.store(ranges_.size(), std::memory_order_release);
}

void PendingRanges::RemoveThrough(Sequence sequence) {
  if (size() == 0) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(ranges_, [&](const PendingRange& range) { return range.sequence <= sequence; });
  count_.store(ranges_.size(), std::memory_order_release);
}

const PendingRange* PendingRanges::Find(Role role, Bytes key, Sequence through,
                                        Sequence state) const {
  const auto found = std::find_if(ranges_.begin(), ranges_.end(), [&](const PendingRange& range) {
    return range.role == role && range.begin <= key && key < range.end &&
           range.sequence > through && range.sequence <= state;
  });
  return found == ranges_.end() ? nullptr : &*found;
}

std::optional<PendingRange> PendingRanges::Covering(Role role, Bytes key, Sequence through,
                                                    Sequence state) const {
  if (size() == 0) return std::nullopt;
  const std::shared_lock lock(mutex_);
  const PendingRange* const found = Find(role, key, through, state);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

bool PendingRanges::Covers(Role role, Bytes key, Sequence through, Sequence state) const {
  if (size() == 0) return false;
  const std::shared_lock lock(mutex_);
  return Find(role, key, through, state) != nullptr;
}

}  // namespace mayfly::engine::hot
