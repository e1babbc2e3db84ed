#include "engine/hot/index/role_map.h"

#include "base/check.h"
#include "engine/hot/index/words.h"

namespace mayfly::engine::hot {
namespace {

constexpr Flags kGivenFlags = kDirty | kOverCold | kPromised;

// The flag that a change leaves as it is, unless it knows better.
constexpr Flags OverColdOf(Flags given) { return given & kNotInCold ? 0 : kOverCold; }

// A block of which less than half would be used is given back for a smaller one.
constexpr std::size_t kRoomyBlockBytesMin = 128;

// A value of so many bytes that grows gets room for half as much again, since what has grown once
// will grow again, and a row that moves costs a search in the tree.
constexpr std::size_t kGrowingValueBytesMin = 64;

std::size_t RoomToGrow(std::size_t value_bytes) {
  return value_bytes < kGrowingValueBytesMin ? 0 : value_bytes / 2;
}

}  // namespace

Handle RoleMap::MustAllocate(std::size_t bytes) {
  const Handle block = arena_.Allocate(bytes);
  MAYFLY_CHECK(block != 0, "the memory index is used up");
  return block;
}

// Writes a long value to a block of its own, whose handle then is the row's inline part.
RoleMap::NewValue RoleMap::Place(std::optional<Bytes> value, Handle& external) {
  if (!value) return {};
  const auto size = static_cast<std::uint32_t>(value->size());
  if (size <= kInlineValueBytesMax) return {.inline_bytes = *value, .external = 0, .size = size};
  external = MustAllocate(size);
  CopyIn(arena_.At(external), *value);
  return {.inline_bytes = {reinterpret_cast<const char*>(&external), sizeof(external)},
          .external = external,
          .size = size};
}

void RoleMap::Write(const Moment& moment, Bytes key, std::uint64_t hash, std::optional<Bytes> value,
                    Flags flags) {
  const Handle row = table_.Find(key, hash).row;
  if (row != 0) return Overwrite(moment, row, key, hash, value, flags);
  if (value || (flags & kOverCold)) Insert(moment, key, hash, value, flags);
}

void RoleMap::Insert(const Moment& moment, Bytes key, std::uint64_t hash,
                     std::optional<Bytes> value, Flags flags) {
  Handle external = 0;
  const NewValue placed = Place(value, external);
  const std::size_t used = sizeof(RowBlock) + key.size() + placed.inline_bytes.size();
  const Handle handle = MustAllocate(used);
  RowBlock& row = RowAt(arena_, handle);
  row.key_length.store(static_cast<std::uint32_t>(key.size()), std::memory_order_release);
  row.value_bytes.store(placed.size, std::memory_order_release);
  CopyIn(row.key(), key);
  CopyIn(row.key() + key.size(), placed.inline_bytes);
  const unsigned kind = (value ? 0U : kTombstone) | (placed.external ? kExternal : 0U);
  row.state.store(StateOf(moment.sequence, (flags & (kGivenFlags | kNewcomer)) | kExact | kind),
                  std::memory_order_release);
  MAYFLY_CHECK(tree_.Insert(key, handle) && table_.Insert(hash, handle),
               "the memory index is used up");
}

// Deletes by the state alone: the value stays for readers until the delete is published. False when
// an open state needs the value with its sequence, or when it is of this very commit.
bool RoleMap::MarkDeleted(const Moment& moment, Handle handle, Flags flags) {
  RowBlock& row = RowAt(arena_, handle);
  const std::uint64_t old = row.state.load(std::memory_order_relaxed);
  if (SequenceOf(old) == moment.sequence || SequenceOf(old) < moment.needed_below) return false;
  constexpr Flags kStays = kExternal | kHasOlder | kPromised;
  const unsigned stays = FlagsOf(old) & (kStays | OverColdOf(flags));
  row.state.store(
      StateOf(moment.sequence, stays | (flags & kGivenFlags) | kTombstone | kExact | kValueKept),
      std::memory_order_release);
  return true;
}

void RoleMap::Overwrite(const Moment& moment, Handle handle, Bytes key, std::uint64_t hash,
                        std::optional<Bytes> value, Flags flags) {
  RowBlock& row = RowAt(arena_, handle);
  const std::uint64_t old = row.state.load(std::memory_order_relaxed);
  if (!value) {
    // The first delete is in the cold store, or on its way there.
    if (old & kTombstone) return;
    moment.retired.rows.push_back({.hash = hash, .row = handle, .role = moment.role});
    if (MarkDeleted(moment, handle, flags)) return;
  }
  const bool same_commit = SequenceOf(old) == moment.sequence;
  if (same_commit) moment.retired.changed_again = true;
  const bool keep = !same_commit && (SequenceOf(old) < moment.needed_below || moment.keep_all);
  const Handle gone = (old & kExternal) && (!keep || (old & kValueKept)) ? ExternalOf(handle) : 0;
  const Handle before = old & kHasOlder ? OlderOf(handle) : 0;
  const Handle older = keep ? KeepVersion(handle) : before;
  if (keep && value)
    moment.retired.rows.push_back({.hash = hash, .row = handle, .role = moment.role});
  // Before the first write of a commit to a row, what it replaces is at hand if it is kept; later
  // writes of the same commit leave that as it is, except over a value that a tombstone kept.
  const bool exact = same_commit ? (old & kExact) && !(old & kValueKept) : keep;
  Handle external = 0;
  const NewValue placed = Place(value, external);
  const unsigned stays = FlagsOf(old) & (kPromised | kNewcomer | OverColdOf(flags));
  const std::uint64_t state =
      StateOf(moment.sequence, (flags & kGivenFlags) | stays | (exact ? kExact : 0U) |
                                   (value ? 0U : kTombstone) | (placed.external ? kExternal : 0U) |
                                   (older ? kHasOlder : 0U));
  const std::size_t need =
      sizeof(RowBlock) + key.size() + placed.inline_bytes.size() + (older ? sizeof(Word) : 0);
  const std::size_t have = arena_.BlockBytes(handle);
  const bool roomy = value && have > kRoomyBlockBytesMin && 2 * arena_.BlockBytesFor(need) <= have;
  if (need <= have && !roomy) {
    RewriteInPlace(handle, placed, older, state);
  } else {
    moment.retired.changed_again = true;
    const std::size_t room = need > have ? RoomToGrow(placed.inline_bytes.size()) : 0;
    Move(handle, key, hash, placed, older, state, need + room);
  }
  if (gone != 0) FreeBlock(gone, old & kPromised);
}

void RoleMap::RewriteInPlace(Handle handle, const NewValue& value, Handle older,
                             std::uint64_t state) {
  RowBlock& row = RowAt(arena_, handle);
  const std::uint64_t old = row.state.load(std::memory_order_relaxed);
  const std::size_t old_bytes =
      InlineBytes(row.value_bytes.load(std::memory_order_relaxed), FlagsOf(old));
  const std::size_t new_bytes = value.inline_bytes.size();
  std::byte* at = row.key() + row.key_bytes();
  row.state.store(old | kWriting, std::memory_order_release);
  CopyIn(at, value.inline_bytes);
  if ((state & kPromised) && old_bytes > new_bytes) Wipe(at + new_bytes, old_bytes - new_bytes);
  if (older != 0) {
    StoreWord(arena_.At(handle) + arena_.BlockBytes(handle) - sizeof(Word), older);
  }
  row.value_bytes.store(value.size, std::memory_order_release);
  row.state.store(state, std::memory_order_release);
}

void RoleMap::Move(Handle handle, Bytes key, std::uint64_t hash, const NewValue& value,
                   Handle older, std::uint64_t state, std::size_t bytes) {
  const RowBlock& from = RowAt(arena_, handle);
  const Handle by = MustAllocate(bytes);
  RowBlock& row = RowAt(arena_, by);
  row.key_length.store(from.key_length.load(std::memory_order_relaxed), std::memory_order_release);
  row.value_bytes.store(value.size, std::memory_order_release);
  CopyIn(row.key(), key);
  CopyIn(row.key() + key.size(), value.inline_bytes);
  if (older != 0) StoreWord(arena_.At(by) + arena_.BlockBytes(by) - sizeof(Word), older);
  row.state.store(state, std::memory_order_release);
  tree_.Replace(key, handle, by);
  table_.Replace(hash, handle, by);
  FreeBlock(handle, state & kPromised);
}

void RoleMap::DeleteRange(const Moment& moment, Bytes begin, Bytes end, Flags flags) {
  std::string from(begin);
  std::vector<Handle> rows;
  for (bool done = false; !done;) {
    rows.clear();
    const RowTree::Position at = tree_.Find(from);
    for (std::size_t i = at.index; i < at.count; ++i) rows.push_back(at.leaf->handle(i));
    // All locks are held, so nobody else changes this tree.
    MAYFLY_CHECK(tree_.HighOf(at, from), "a tree changed under all its locks");
    for (const Handle row : rows) {
      if (!end.empty() && CompareRow(arena_, row, end) >= 0) {
        done = true;
        break;
      }
      const std::string key = KeyOf(row);
      Overwrite(moment, row, key, Hash(key), std::nullopt, flags);
    }
    if (from.empty() || (!end.empty() && from >= end)) done = true;
  }
}

}  // namespace mayfly::engine::hot
