// row.h - the blocks of a row and of its older versions.
//   row      | state u64 | value length u32 | key length u32 | key | value | ... | older u64 |
//   version  | state u64 | value length u32 | older u32      | value |
//   state    | sequence u48 | flags u16 |
// A row holds its newest version. `older`, only with kHasOlder, is the last word of the block: the
// handle of the version before. With kExternal the value is the handle u32 of a block that holds it
// and never changes.
// A row is changed by the holder of its lock alone, and kWriting is set meanwhile: readers copy and
// then compare the state (words.h). A version never changes, but for being cut from its row.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/hot/index/slab_arena.h"
#include "engine/hot/index/words.h"
#include "mayfly/bytes.h"

namespace mayfly::engine::hot {

// Counts commits; 48 bits. State 0 is empty.
using Sequence = std::uint64_t;
inline constexpr Sequence kSequenceMax = (Sequence{1} << 48) - 1;

using Flags = std::uint16_t;
inline constexpr Flags kWriting = 1 << 0;
inline constexpr Flags kTombstone = 1 << 1;
inline constexpr Flags kExternal = 1 << 2;
inline constexpr Flags kHasOlder = 1 << 3;
// The version before this one is at hand: the value kept, else the first older one, else none.
// Without it that version was overwritten, and who needs it waits for this one to be published.
inline constexpr Flags kExact = 1 << 4;
// A tombstone whose block still has the value that it deleted.
inline constexpr Flags kValueKept = 1 << 5;
inline constexpr Flags kDirty = 1 << 6;      // Not in the cold store yet.
inline constexpr Flags kOverCold = 1 << 7;   // The cold store may have the key: a tombstone stays.
inline constexpr Flags kPromised = 1 << 8;   // Bytes are overwritten when they are given back.
inline constexpr Flags kNewcomer = 1 << 10;  // Not read since it came to memory; see newcomers.h.
// Of a delete, not stored: the cold store has no such key, or the caller hides it. Clears kOverCold.
inline constexpr Flags kNotInCold = 1 << 9;

// Which clean rows may leave memory, by their sequence: readers of other states would miss them.
struct EvictionBounds {
  Sequence old_through = kSequenceMax;  // At or before this: in what every reader has below memory.
  // After `newest_state`, the newest that is open, and at or before `new_through`: in what readers of
  // later states will have below memory. Readers of open states do not see them.
  Sequence newest_state = kSequenceMax;
  Sequence new_through = 0;

  bool Allow(Sequence sequence) const {
    return sequence <= old_through || (sequence > newest_state && sequence <= new_through);
  }
};

inline Sequence SequenceOf(std::uint64_t state) { return state >> 16; }
inline Flags FlagsOf(std::uint64_t state) { return static_cast<Flags>(state); }
inline std::uint64_t StateOf(Sequence sequence, unsigned flags) { return sequence << 16 | flags; }

struct RowBlock {
  std::atomic<std::uint64_t> state;
  std::atomic<std::uint32_t> value_bytes;
  std::atomic<std::uint32_t> key_length;

  // Masked, as a reader may have met a block that is no row any more.
  std::uint32_t key_bytes() const {
    return key_length.load(std::memory_order_acquire) & kKeyLengthMask;
  }
  const std::byte* key() const { return reinterpret_cast<const std::byte*>(this + 1); }
  std::byte* key() { return reinterpret_cast<std::byte*>(this + 1); }
};
static_assert(sizeof(RowBlock) == 16);

struct VersionBlock {
  std::atomic<std::uint64_t> state;
  std::atomic<std::uint32_t> value_bytes;
  std::atomic<std::uint32_t> older;

  const std::byte* value() const { return reinterpret_cast<const std::byte*>(this + 1); }
  std::byte* value() { return reinterpret_cast<std::byte*>(this + 1); }
};
static_assert(sizeof(VersionBlock) == 16);

inline RowBlock& RowAt(const SlabArena& arena, Handle handle) {
  return *reinterpret_cast<RowBlock*>(arena.At(handle));
}
inline VersionBlock& VersionAt(const SlabArena& arena, Handle handle) {
  return *reinterpret_cast<VersionBlock*>(arena.At(handle));
}

// Compares the key of a row with `key`, in byte order.
inline int CompareRow(const SlabArena& arena, Handle row, Bytes key) {
  const RowBlock& block = RowAt(arena, row);
  return CompareWords(block.key(), block.key_bytes(), key);
}

// Bytes of a value inside its row or version.
inline std::size_t InlineBytes(std::size_t value_bytes, unsigned flags) {
  return flags & kExternal ? sizeof(Handle) : value_bytes;
}

// Fetches the first lines of a row into the cache.
inline void PrefetchRow(const SlabArena& arena, Handle row) {
  __builtin_prefetch(arena.At(row));
  __builtin_prefetch(arena.At(row) + 64);
}

// Bytes that nobody changes meanwhile: of a row whose lock the caller holds, or of a block that an
// open state keeps.
inline Bytes PlainBytes(const std::byte* at, std::size_t size) {
  return {reinterpret_cast<const char*>(at), size};
}

}  // namespace mayfly::engine::hot
