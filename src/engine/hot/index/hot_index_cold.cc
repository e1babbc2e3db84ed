// What the engine does to rows for the sake of the cold store: fold, admission, eviction.
#include "base/check.h"
#include "engine/hot/index/hot_index.h"
#include "engine/hot/index/words.h"

namespace mayfly::engine::hot {

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
    std::vector<std::uint64_t> retired{hash};
    Retire(role, sequence, retired);
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
  std::vector<std::uint64_t> retired;
  const RoleMap::Moment moment{
      .sequence = sequence, .needed_below = 0, .keep_all = false, .retired = retired};
  rows.Write(moment, key, hash, value, static_cast<Flags>(flags | kOverCold));
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

std::size_t HotIndex::EvictUnused(Role role, std::string& from, std::size_t rows_max,
                                  const EvictionBounds& bounds,
                                  FunctionRef<void()> before_eviction) {
  struct Seen {
    std::string key;
    Handle row;
  };
  std::vector<Seen> seen;
  const RowTree& tree = map(role).tree();
  const RowTree::Position at = tree.Find(from);
  std::size_t i = at.index;
  for (; i < at.count && seen.size() < rows_max; ++i) {
    const Handle row = at.leaf->handle(i);
    if (!at.IsCurrent()) break;
    const RowBlock& block = RowAt(arena_, row);
    std::string key(block.key_bytes(), '\0');
    if (!at.IsCurrent()) break;
    CopyOut(block.key(), key.data(), key.size());
    if (!at.IsCurrent()) break;
    seen.push_back({std::move(key), row});
  }
  if (i < at.count || !tree.HighOf(at, from)) {
    // The leaf is not done, or has changed.
    if (!seen.empty()) from = seen.back().key + '\0';
  }
  std::size_t evicted = 0;
  for (const Seen& one : seen) {
    if (uses_.Of(one.row) > 0) {
      uses_.Clear(one.row);
      continue;
    }
    before_eviction();
    if (Evict(role, one.key, bounds)) ++evicted;
  }
  return evicted;
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
