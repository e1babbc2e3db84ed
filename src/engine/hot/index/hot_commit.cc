// HotIndex::Commit.
#include <algorithm>

#include "base/check.h"
#include "engine/hot/index/hot_index.h"

namespace mayfly::engine::hot {

HotIndex::Commit::Commit(HotIndex& index, std::span<const Touch> touches) : index_(index) {
  for (const Touch& touch : touches) {
    if (touch.all) {
      stripes_ = SparseBits<kStripeCount>::All();
      break;
    }
    const RoleMap& rows = index_.map(touch.role);
    const std::uint64_t hash = touch.hash != 0 ? touch.hash : rows.Hash(touch.key);
    rows.table().Prefetch(hash);
    stripes_.set(index_.StripeOf(touch.role, hash));
  }
  // One order for all commits, so that none waits for another in a circle.
  stripes_.ForEach([&](std::size_t stripe) { index_.stripes_[stripe].lock(); });
  // They come to the cache while the log takes the record.
  for (const Touch& touch : touches) {
    if (touch.hash != 0) index_.map(touch.role).table().PrefetchRows(touch.hash);
  }
}

HotIndex::Commit::~Commit() {
  MAYFLY_CHECK(!applied_, "a commit was applied and not published");
  Unlock();
}

void HotIndex::Commit::Unlock() {
  stripes_.ForEach([&](std::size_t stripe) { index_.stripes_[stripe].unlock(); });
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
  const bool has_range = std::any_of(changes.begin(), changes.end(), [](const HotChange& change) {
    return change.kind == HotChange::Kind::kDeleteRange;
  });
  RoleMap::Moment moment{.sequence = sequence,
                         .needed_below = index_.states_.needed_below(),
                         .keep_all = has_range || changes.size() > kSmallBatchChangesMax,
                         .role = Role::kRows,
                         .retired = retired_};
  for (const HotChange& change : changes) {
    RoleMap& rows = index_.map(change.role);
    moment.role = change.role;
    const auto hash = [&] { return change.hash != 0 ? change.hash : rows.Hash(change.key); };
    switch (change.kind) {
      case HotChange::Kind::kPut:
        rows.Write(moment, change.key, hash(), change.value, change.flags);
        break;
      case HotChange::Kind::kDelete:
        rows.Write(moment, change.key, hash(), std::nullopt, change.flags);
        break;
      case HotChange::Kind::kDeleteRange:
        rows.DeleteRange(moment, change.key, change.value, change.flags);
        break;
    }
  }
}

// Prunes the commit's own rows, if no open state needs them. False: they are to be retired.
bool HotIndex::Commit::PruneOwn(Sequence sequence) {
  if (retired_.rows.size() > kOwnPruneMax) return false;
  const Sequence horizon = index_.states_.horizon();
  if (horizon < sequence) return false;
  for (const RetiredRow& row : retired_.rows) {
    RoleMap& rows = index_.map(row.role);
    if (retired_.changed_again) {
      rows.Prune(row.hash, horizon);
    } else {
      rows.PruneRow(row.row, row.hash, horizon);
    }
  }
  return true;
}

void HotIndex::Commit::Publish(Sequence sequence) {
  if (!ticket_) ticket_ = index_.states_.Enter();
  index_.states_.Publish(sequence, *ticket_);
  applied_ = false;
  std::size_t retired = 0;
  if (!retired_.rows.empty() && !PruneOwn(sequence)) {
    retired = retired_.rows.size();
    index_.Retire(sequence, retired_.rows);
  }
  Unlock();
  index_.Reclaim(std::min(kReclaimStepMin + 2 * retired, kReclaimStepMax));
}

}  // namespace mayfly::engine::hot
