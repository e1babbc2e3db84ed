// Which rows leave memory: newcomers that nobody read, rows that the hand finds unread, and those of
// slabs that are nearly empty.
#include "engine/hot/index/hot_index.h"
#include "engine/hot/index/words.h"

namespace mayfly::engine::hot {

bool HotIndex::WasMissed(Role role, Bytes key) const {
  return newcomers_.WasMissed({.role = role, .hash = map(role).Hash(key)});
}

std::size_t HotIndex::EvictNewcomers(std::size_t rows_max, const EvictionBounds& bounds,
                                     FunctionRef<void()> before_eviction) {
  std::size_t evicted = 0;
  for (std::size_t i = 0; i < rows_max; ++i) {
    const std::optional<Newcomers::One> one = newcomers_.Take();
    if (!one) break;
    if (EvictNewcomer(*one, bounds, before_eviction)) ++evicted;
  }
  return evicted;
}

bool HotIndex::EvictNewcomer(Newcomers::One one, const EvictionBounds& bounds,
                             FunctionRef<void()> before_eviction) {
  RoleMap& rows = map(one.role);
  EvictionBounds within = bounds;
  const std::lock_guard lock(StripeMutex(one.role, one.hash));
  within.old_through = std::min(bounds.old_through, states_.horizon());
  thread_local std::vector<Handle> found;
  rows.table().FindByHash(one.hash, found);
  bool evicted = false;
  for (const Handle row : found) {
    const RowBlock& block = RowAt(arena_, row);
    const std::uint64_t state = block.state.load(std::memory_order_relaxed);
    // One that was changed since is asked again when it is clean.
    if ((state & kNewcomer) == 0 || (state & kDirty)) continue;
    const std::string key(PlainBytes(block.key(), block.key_bytes()));
    if (uses_.Of(row) > 0) {
      uses_.Clear(row);
      rows.ChangeFlags(key, one.hash, SequenceOf(state), 0, kNewcomer);
      continue;
    }
    before_eviction();
    if (rows.Evict(key, one.hash, within)) {
      static_cast<void>(newcomers_.WasMissed(one));
      evicted = true;
    } else if ((state & kTombstone) == 0) {
      newcomers_.Add(one);  // A state or a view needs it for now.
    }
  }
  return evicted;
}

HotIndex::Evicted HotIndex::EvictUnused(Role role, std::string& from, std::size_t rows_max,
                                        const EvictionBounds& bounds,
                                        FunctionRef<void()> before_eviction) {
  struct Seen {
    std::string key;
    Handle row;
  };
  std::vector<Seen> seen;
  std::string last;
  const RowTree& tree = map(role).tree();
  const RowTree::Position at = tree.Find(from);
  std::size_t i = at.index;
  for (; i < at.count && i - at.index < rows_max; ++i) {
    const Handle row = at.leaf->handle(i);
    if (!at.IsCurrent()) break;
    const RowBlock& block = RowAt(arena_, row);
    std::string key(block.key_bytes(), '\0');
    if (!at.IsCurrent()) break;
    CopyOut(block.key(), key.data(), key.size());
    const std::uint64_t state = block.state.load(std::memory_order_acquire);
    if (!at.IsCurrent()) break;
    last = key;
    if ((state & (kNewcomer | kDirty)) == 0) seen.push_back({std::move(key), row});
  }
  if (i < at.count || !tree.HighOf(at, from)) {
    // The leaf is not done, or has changed.
    if (!last.empty()) from = last + '\0';
  }
  Evicted evicted{.asked = seen.size()};
  for (const Seen& one : seen) {
    if (uses_.Lower(one.row)) continue;
    before_eviction();
    if (Evict(role, one.key, bounds)) ++evicted.gone;
  }
  return evicted;
}

bool HotIndex::EmptySlab(const EvictionBounds& bounds, FunctionRef<void()> before_eviction) {
  const std::optional<SlabArena::Emptying> slab = arena_.BeginEmptying();
  if (!slab) return false;
  for (std::size_t i = 0; i < slab->blocks; ++i) {
    EmptyBlock(slab->first + static_cast<Handle>(i * slab->block_bytes >> arena_.unit_shift()),
               slab->block_bytes, bounds, before_eviction);
  }
  return arena_.EndEmptying(*slab);
}

// The block may be a row, something else, or free. It is a row if a table says so of the key that it
// has: what was a row before is in no table.
void HotIndex::EmptyBlock(Handle handle, std::size_t block_bytes, const EvictionBounds& bounds,
                          FunctionRef<void()> before_eviction) {
  const RowBlock& block = RowAt(arena_, handle);
  std::string key(block.key_bytes(), '\0');
  if (sizeof(RowBlock) + key.size() > block_bytes) return;
  CopyOut(block.key(), key.data(), key.size());
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const auto role = static_cast<Role>(i);
    RoleMap& rows = map(role);
    const std::uint64_t hash = rows.Hash(key);
    if (rows.table().Find(key, hash).row != handle) continue;
    const std::lock_guard lock(StripeMutex(role, hash));
    if (rows.table().Find(key, hash).row != handle) continue;
    EvictionBounds within = bounds;
    within.old_through = std::min(bounds.old_through, states_.horizon());
    if (uses_.Of(handle) == 0) {
      before_eviction();
      if (rows.Evict(key, hash, within)) return;
    }
    rows.Relocate(handle, hash);
    return;
  }
}

}  // namespace mayfly::engine::hot
