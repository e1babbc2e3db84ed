#include "engine/hot/purge_wait.h"

#include <algorithm>
#include <array>

#include "engine/hot/limits.h"
#include "engine/hot/segment_changes.h"

namespace mayfly::engine::hot {

bool PurgeWait::IsWorthIt(const SegmentInfo& segment) {
  if (parts_.policy == nullptr) return false;
  const SteadyTime now = parts_.clock.Steady();
  if (now < in_vain_until_) return false;
  if (segment.number != number_) {
    progressed_at_ = now;
    // The fold meets the error again, and reports it.
    if (!TakeSample(segment).ok()) sample_.clear();
  }
  if (std::erase_if(sample_, [this](const Sampled& row) { return HasGone(row); }) > 0) {
    progressed_at_ = now;
  }
  std::array<std::unique_ptr<DropPolicy::Judge>, kRoleCount> judges;
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    judges[role] = parts_.policy->NewJudge(static_cast<Role>(role));
  }
  std::size_t going = 0;
  for (const Sampled& row : sample_) {
    DropPolicy::Judge* const judge = judges[static_cast<std::size_t>(row.role)].get();
    if (judge == nullptr || !judge->IsBeingPurged(row.key, row.value)) continue;
    going += row.key.size() + row.value.size();
  }
  if (going * kPurgeWaitShare <= sampled_bytes_) return false;
  if (now - progressed_at_ < kPurgeWaitMax) return true;
  in_vain_until_ = now + kPurgeWaitPause;
  return false;
}

Status PurgeWait::TakeSample(const SegmentInfo& segment) {
  number_ = segment.number;
  sample_.clear();
  sampled_bytes_ = 0;
  MAYFLY_TRY(const SegmentChanges read,
             SegmentChanges::Read(parts_.files, segment, parts_.key.get()));
  const std::vector<LoggedChange>& changes = read.changes();
  const std::size_t step = changes.size() / kPurgeSampleMax + 1;
  for (std::size_t i = 0; i < changes.size(); i += step) {
    const Batch::Change& change = changes[i].change;
    if (change.kind != Batch::Kind::kPut) continue;
    sampled_bytes_ += change.key.size() + change.value.size();
    sample_.push_back({.role = change.at.role,
                       .sequence = changes[i].sequence,
                       .key = std::string(change.key),
                       .value = std::string(change.value)});
  }
  return {};
}

bool PurgeWait::HasGone(const Sampled& row) const {
  return !parts_.rows.index.IsNewest(row.role, row.key, row.sequence);
}

}  // namespace mayfly::engine::hot
