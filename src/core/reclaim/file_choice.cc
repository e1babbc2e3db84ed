#include "core/reclaim/file_choice.h"

#include <algorithm>

#include "core/layout/liveness.h"

namespace mayfly::core {

bool DeadFiles::IsWhollyDead(const engine::FileInfo& file) const {
  // All keys are of one dropped keyspace: deadlines do not matter.
  const auto first = KeyspaceOf(file.first_key);
  if (first && first == KeyspaceOf(file.last_key) && IsOfDropped(file.first_key)) return true;
  return dead_by_ && file.deadlines.AllDeadBy(*dead_by_);
}

bool DeadFiles::HoldsSomethingDead(const engine::FileInfo& file) const {
  if (file.deletions > 0 || IsOfDropped(file.first_key) || IsOfDropped(file.last_key)) return true;
  const auto first = file.deadlines.min_deadline();
  return first && dead_by_ && IsDead(*first, *dead_by_);
}

std::uint32_t DeadFiles::DeadPercent(const engine::FileInfo& file) const {
  if (IsOfDropped(file.first_key) || IsOfDropped(file.last_key)) return 100;
  const std::uint64_t bytes = file.deadlines.mortal_bytes() + file.deadlines.immortal_bytes();
  const std::uint64_t dead = dead_by_ ? file.deadlines.BytesDeadBy(*dead_by_) : 0;
  const auto percent = [](std::uint64_t part, std::uint64_t all) {
    return all == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
  };
  return static_cast<std::uint32_t>(std::max(
      percent(dead, bytes), percent(file.deletions, std::max(file.entries, file.deletions))));
}

bool DeadFiles::IsOfDropped(const std::string& key) const {
  const auto keyspace = KeyspaceOf(key);
  return keyspace && horizon_.IsDropped(*keyspace & ~kMembersBit);
}

int LastLevelOf(const std::vector<engine::FileInfo>& files) {
  int last = 0;
  for (const engine::FileInfo& file : files) last = std::max(last, file.level);
  return last;
}

bool MayHold(const engine::FileInfo& file, KeyspaceId keyspace) {
  const auto first = KeyspaceOf(file.first_key);
  const auto last = KeyspaceOf(file.last_key);
  return !first || !last || (*first <= keyspace && keyspace <= *last);
}

}  // namespace mayfly::core
