// HotIndex::Commit.
#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "engine/hot/index/hot_index.h"

namespace mayfly::engine::hot {

HotIndex::Commit::Commit(HotIndex& index, std::span<const Touch> touches) : index_(index) {
  for (const Touch& touch : touches) {
    if (touch.all) {
      stripes_.resize(kStripeCount);
      std::iota(stripes_.begin(), stripes_.end(), std::uint16_t{0});
      break;
    }
    const RoleMap& rows = index_.map(touch.role);
    const std::uint64_t hash = rows.Hash(touch.key);
    rows.table().Prefetch(hash);
    stripes_.push_back(static_cast<std::uint16_t>(index_.StripeOf(touch.role, hash)));
  }
  // One order for all commits, so that none waits for another in a circle.
  std::sort(stripes_.begin(), stripes_.end());
  stripes_.erase(std::unique(stripes_.begin(), stripes_.end()), stripes_.end());
  for (const std::uint16_t stripe : stripes_) index_.stripes_[stripe].lock();
}

HotIndex::Commit::~Commit() {
  MAYFLY_CHECK(!applied_, "a commit was applied and not published");
  Unlock();
}

void HotIndex::Commit::Unlock() {
  for (const std::uint16_t stripe : stripes_) index_.stripes_[stripe].unlock();
  stripes_.clear();
}

HotIndex::CurrentRow HotIndex::Commit::Current(Role role, Bytes key) const {
  const RoleMap& rows = index_.map(role);
  const Handle handle = rows.table().Find(key, rows.Hash(key)).row;
  if (handle == 0) return {};
  // The lock is ours, so nothing of the row changes.
  const RowBlock& row = RowAt(index_.arena_, handle);
  const std::uint64_t state = row.state.load(std::memory_order_acquire);
  CurrentRow current{.presence = Presence::kDeleted,
                     .value = {},
                     .sequence = SequenceOf(state),
                     .flags = FlagsOf(state)};
  if (state & kTombstone) return current;
  const std::byte* value = row.key() + row.key_bytes();
  if (state & kExternal) {
    Handle external = 0;
    CopyOut(value, reinterpret_cast<char*>(&external), sizeof(external));
    value = index_.arena_.At(external);
  }
  current.presence = Presence::kValue;
  current.value = PlainBytes(value, row.value_bytes.load(std::memory_order_acquire));
  return current;
}

void HotIndex::Commit::Apply(Sequence sequence, std::span<const HotChange> changes) {
  MAYFLY_CHECK(sequence <= kSequenceMax && !applied_, "a commit applied twice, or out of numbers");
  ticket_ = index_.states_.Enter();
  applied_ = true;
  std::vector<std::uint64_t> retired;
  const bool has_range = std::any_of(changes.begin(), changes.end(), [](const HotChange& change) {
    return change.kind == HotChange::Kind::kDeleteRange;
  });
  const RoleMap::Moment moment{.sequence = sequence,
                               .needed_below = index_.states_.needed_below(),
                               .keep_all = has_range || changes.size() > kSmallBatchChangesMax,
                               .retired = retired};
  for (const HotChange& change : changes) {
    RoleMap& rows = index_.map(change.role);
    switch (change.kind) {
      case HotChange::Kind::kPut:
        rows.Write(moment, change.key, rows.Hash(change.key), change.value, change.flags);
        break;
      case HotChange::Kind::kDelete:
        rows.Write(moment, change.key, rows.Hash(change.key), std::nullopt, change.flags);
        break;
      case HotChange::Kind::kDeleteRange:
        rows.DeleteRange(moment, change.key, change.value, change.flags);
        break;
    }
    retired_ += retired.size();
    index_.Retire(change.role, sequence, retired);
  }
}

void HotIndex::Commit::Publish(Sequence sequence) {
  if (!ticket_) ticket_ = index_.states_.Enter();
  index_.states_.Publish(sequence, *ticket_);
  applied_ = false;
  Unlock();
  // Its own rows among them, if no state is open.
  index_.Reclaim(std::min(kReclaimStepMin + 2 * retired_, kReclaimStepMax));
}

}  // namespace mayfly::engine::hot
