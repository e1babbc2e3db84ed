// Old versions, tombstones and evicted rows: how blocks are given back.
#include "base/check.h"
#include "engine/hot/index/role_map.h"
#include "engine/hot/index/words.h"

namespace mayfly::engine::hot {

Handle RoleMap::ExternalOf(Handle handle) const {
  const RowBlock& row = RowAt(arena_, handle);
  Handle external = 0;
  CopyOut(row.key() + row.key_bytes(), reinterpret_cast<char*>(&external), sizeof(external));
  return external;
}

Handle RoleMap::OlderOf(Handle row) const {
  return static_cast<Handle>(LoadWord(arena_.At(row) + arena_.BlockBytes(row) - sizeof(Word)));
}

std::string RoleMap::KeyOf(Handle handle) const {
  const RowBlock& row = RowAt(arena_, handle);
  std::string key(row.key_bytes(), '\0');
  CopyOut(row.key(), key.data(), key.size());
  return key;
}

// Copies the newest version to a block of its own; a long value's block changes hands.
Handle RoleMap::KeepVersion(Handle handle) {
  const RowBlock& row = RowAt(arena_, handle);
  const std::uint64_t state = row.state.load(std::memory_order_relaxed);
  const bool tombstone = state & kTombstone;
  const std::uint32_t size = tombstone ? 0 : row.value_bytes.load(std::memory_order_relaxed);
  const std::size_t inline_bytes = tombstone ? 0 : InlineBytes(size, FlagsOf(state));
  const Handle block = MustAllocate(sizeof(VersionBlock) + inline_bytes);
  VersionBlock& version = VersionAt(arena_, block);
  const Flags stays = FlagsOf(state) & (kTombstone | kPromised | (tombstone ? 0 : kExternal));
  version.value_bytes.store(size, std::memory_order_release);
  version.older.store(state & kHasOlder ? OlderOf(handle) : 0, std::memory_order_release);
  CopyIn(version.value(), PlainBytes(row.key() + row.key_bytes(), inline_bytes));
  version.state.store(StateOf(SequenceOf(state), stays), std::memory_order_release);
  return block;
}

void RoleMap::FreeBlock(Handle block, bool wipe) {
  if (wipe) Wipe(arena_.At(block), arena_.BlockBytes(block));
  arena_.Free(block);
}

void RoleMap::FreeChain(Handle handle) {
  while (handle != 0) {
    const VersionBlock& version = VersionAt(arena_, handle);
    const std::uint64_t state = version.state.load(std::memory_order_relaxed);
    const Handle next = version.older.load(std::memory_order_relaxed);
    if (state & kExternal)
      FreeBlock(static_cast<Handle>(LoadWord(version.value())), state & kPromised);
    FreeBlock(handle, state & kPromised);
    handle = next;
  }
}

void RoleMap::RemoveRow(Handle handle, std::uint64_t hash) {
  const RowBlock& row = RowAt(arena_, handle);
  const std::uint64_t state = row.state.load(std::memory_order_relaxed);
  const Handle external = state & kExternal ? ExternalOf(handle) : 0;
  tree_.Remove(PlainBytes(row.key(), row.key_bytes()), handle);  // Its lock is held.
  table_.Remove(hash, handle);
  if (external != 0) FreeBlock(external, state & kPromised);
  FreeBlock(handle, state & kPromised);
}

void RoleMap::Prune(std::uint64_t hash, Sequence horizon) {
  thread_local std::vector<Handle> rows;
  table_.FindByHash(hash, rows);
  for (const Handle row : rows) PruneRow(row, hash, horizon);
}

void RoleMap::PruneRow(Handle handle, std::uint64_t hash, Sequence horizon) {
  RowBlock& row = RowAt(arena_, handle);
  std::uint64_t state = row.state.load(std::memory_order_relaxed);
  if (state & kHasOlder) {
    Handle version = OlderOf(handle);
    if (SequenceOf(state) <= horizon) {
      state &= ~std::uint64_t{kHasOlder};
      row.state.store(state, std::memory_order_release);
      FreeChain(version);
    } else {
      // The first version at or before the horizon is the last that anybody needs.
      while (version != 0 &&
             SequenceOf(VersionAt(arena_, version).state.load(std::memory_order_relaxed)) >
                 horizon) {
        version = VersionAt(arena_, version).older.load(std::memory_order_relaxed);
      }
      if (version != 0) {
        FreeChain(VersionAt(arena_, version).older.exchange(0, std::memory_order_acq_rel));
      }
    }
  }
  if ((state & kTombstone) == 0 || SequenceOf(state) > horizon) return;
  if ((state & kOverCold) == 0) return RemoveRow(handle, hash);
  if ((state & kValueKept) == 0) return;
  // The tombstone stays for the cold store's sake; the value goes.
  const Handle external = state & kExternal ? ExternalOf(handle) : 0;
  RewriteInPlace(handle, {}, 0, state & ~std::uint64_t{kValueKept | kExternal});
  if (external != 0) FreeBlock(external, state & kPromised);
}

bool RoleMap::ChangeFlags(Bytes key, std::uint64_t hash, Sequence sequence, Flags set,
                          Flags clear) {
  const Handle handle = table_.Find(key, hash).row;
  if (handle == 0) return false;
  RowBlock& row = RowAt(arena_, handle);
  const std::uint64_t state = row.state.load(std::memory_order_relaxed);
  if (SequenceOf(state) != sequence) return false;
  row.state.store((state | set) & ~std::uint64_t{clear}, std::memory_order_release);
  return true;
}

void RoleMap::Relocate(Handle handle, std::uint64_t hash) {
  const RowBlock& row = RowAt(arena_, handle);
  const std::uint64_t state = row.state.load(std::memory_order_relaxed);
  const std::uint32_t size = row.value_bytes.load(std::memory_order_relaxed);
  const NewValue value{
      .inline_bytes = PlainBytes(row.key() + row.key_bytes(), InlineBytes(size, FlagsOf(state))),
      .external = 0,
      .size = size};
  const std::string key = KeyOf(handle);
  const Handle older = state & kHasOlder ? OlderOf(handle) : 0;
  const std::size_t bytes = sizeof(RowBlock) + key.size() + value.inline_bytes.size();
  Move(handle, key, hash, value, older, state, bytes + (older ? sizeof(Word) : 0));
}

bool RoleMap::Evict(Bytes key, std::uint64_t hash, const EvictionBounds& bounds) {
  const Handle handle = table_.Find(key, hash).row;
  if (handle == 0) return false;
  const std::uint64_t state = RowAt(arena_, handle).state.load(std::memory_order_relaxed);
  if ((state & (kDirty | kTombstone | kHasOlder)) || !bounds.Allow(SequenceOf(state))) return false;
  RemoveRow(handle, hash);
  return true;
}

}  // namespace mayfly::engine::hot
