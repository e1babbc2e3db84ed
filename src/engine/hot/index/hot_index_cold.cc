// What the engine does to rows for the sake of the cold store: fold, admission, eviction of one row.
#include "base/check.h"
#include "engine/hot/index/hot_index.h"
#include "engine/hot/index/words.h"

namespace mayfly::engine::hot {

bool HotIndex::IsNewest(Role role, Bytes key, Sequence sequence) const {
  const RoleMap& rows = map(role);
  for (;;) {
    const RowTable::Found found = rows.table().Find(key, rows.Hash(key));
    if (found.row == 0) return false;
    const std::uint64_t state = RowAt(arena_, found.row).state.load(std::memory_order_acquire);
    if (!found.IsCurrent()) continue;
    return SequenceOf(state) == sequence && (state & kTombstone) == 0;
  }
}

std::optional<Flags> HotIndex::BeginFold(Role role, Bytes key, Sequence sequence) {
  RoleMap& rows = map(role);
  const std::uint64_t hash = rows.Hash(key);
  const std::lock_guard lock(StripeMutex(role, hash));
  const RowTable::Found found = rows.table().Find(key, hash);
  if (found.row == 0) return std::nullopt;
  const std::uint64_t state = RowAt(arena_, found.row).state.load(std::memory_order_acquire);
  if (SequenceOf(state) != sequence || (state & kDirty) == 0) return std::nullopt;
  // Before the cold store has it: a delete from here on must leave a tombstone.
  if ((state & kTombstone) == 0) rows.ChangeFlags(key, hash, sequence, kOverCold, 0);
  return FlagsOf(state);
}

bool HotIndex::MarkClean(Role role, Bytes key, Sequence sequence) {
  RoleMap& rows = map(role);
  const std::uint64_t hash = rows.Hash(key);
  const std::lock_guard lock(StripeMutex(role, hash));
  const RowTable::Found found = rows.table().Find(key, hash);
  if (found.row == 0) return false;
  const bool tombstone = RowAt(arena_, found.row).state.load() & kTombstone;
  const Flags set = tombstone ? 0 : kOverCold;
  const Flags clear = tombstone ? kDirty | kOverCold : kDirty;
  if (!rows.ChangeFlags(key, hash, sequence, set, clear)) return false;
  if (tombstone) {
    const RetiredRow retired{.hash = hash, .row = found.row, .role = role};
    Retire(sequence, {&retired, 1});
  } else if (RowAt(arena_, found.row).state.load() & kNewcomer) {
    newcomers_.Add({.role = role, .hash = hash});
  }
  return true;
}

bool HotIndex::Admit(Role role, Bytes key, Bytes value, Sequence sequence, Flags flags,
                     FunctionRef<bool()> is_still_right) {
  MAYFLY_CHECK(sequence <= visible(), "a row of the cold store is newer than what is visible");
  RoleMap& rows = map(role);
  const std::uint64_t hash = rows.Hash(key);
  const std::lock_guard lock(StripeMutex(role, hash));
  if (rows.table().Find(key, hash).row != 0 || !is_still_right()) return false;
  RetiredRows retired;
  const RoleMap::Moment moment{
      .sequence = sequence, .needed_below = 0, .keep_all = false, .role = role, .retired = retired};
  rows.Write(moment, key, hash, value, static_cast<Flags>(flags | kOverCold));
  // The block may have been another row's.
  uses_.Clear(rows.table().Find(key, hash).row);
  if (flags & kNewcomer) newcomers_.Add({.role = role, .hash = hash});
  return true;
}

bool HotIndex::Evict(Role role, Bytes key, const EvictionBounds& bounds) {
  RoleMap& rows = map(role);
  const std::uint64_t hash = rows.Hash(key);
  const std::lock_guard lock(StripeMutex(role, hash));
  EvictionBounds within = bounds;
  within.old_through = std::min(bounds.old_through, states_.horizon());
  return rows.Evict(key, hash, within);
}

Sequence HotIndex::newest_open_state() const {
  const Sequence needed_below = states_.needed_below();
  return needed_below == 0 ? 0 : needed_below - 1;
}

unsigned HotIndex::UseOf(Role role, Bytes key) const {
  const RowTable::Found found = map(role).table().Find(key, map(role).Hash(key));
  return found.row == 0 ? 0 : uses_.Of(found.row);
}

void HotIndex::ClearUse(Role role, Bytes key) {
  RoleMap& rows = map(role);
  const std::uint64_t hash = rows.Hash(key);
  const std::lock_guard lock(StripeMutex(role, hash));
  const RowTable::Found found = rows.table().Find(key, hash);
  if (found.row != 0) uses_.Clear(found.row);
}

}  // namespace mayfly::engine::hot
