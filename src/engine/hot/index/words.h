// words.h - memory that readers copy while a writer may change it.
// Every access is an atomic one of an aligned word, so a torn copy is no data race; the version
// that the reader compares afterwards tells whether the copy counts. Loads acquire and stores
// release: a reader that met one word of a change also meets the version that announced it, without
// fences (which ThreadSanitizer does not follow). On x86-64 these are plain moves.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mayfly/bytes.h"

namespace mayfly::engine::hot {

using Word = std::uint64_t;
static_assert(std::endian::native == std::endian::little);

inline Word LoadWord(const std::byte* at) {
  return std::atomic_ref<Word>(*reinterpret_cast<Word*>(const_cast<std::byte*>(at)))
      .load(std::memory_order_acquire);
}

inline void StoreWord(std::byte* at, Word word) {
  std::atomic_ref<Word>(*reinterpret_cast<Word*>(at)).store(word, std::memory_order_release);
}

// Long copies take sixteen bytes at a time, at any address, where the processor keeps the order of
// loads and that of stores: one plain move each, which the compiler neither splits nor repeats nor
// moves over a fence. ThreadSanitizer would see races in them; for it, and elsewhere, words are copied.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
inline constexpr bool kHasWideMoves = true;
#else
inline constexpr bool kHasWideMoves = false;
#endif
using Wide [[gnu::vector_size(16), gnu::aligned(1), gnu::may_alias]] = long long;

inline void MoveWide(const void* from, void* to) {
  *static_cast<volatile Wide*>(to) = *static_cast<const volatile Wide*>(from);
}

// `size` is at least sizeof(Wide). The last move overlaps the one before.
inline void MoveAllWide(const void* from, void* to, std::size_t size) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const char* const source = static_cast<const char*>(from);
  char* const target = static_cast<char*>(to);
  const std::size_t last = size - sizeof(Wide);
  for (std::size_t i = 0; i < last; i += sizeof(Wide)) MoveWide(source + i, target + i);
  MoveWide(source + last, target + last);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

// Copies `size` bytes from `from`, which needs no alignment.
void CopyOut(const std::byte* from, char* to, std::size_t size);

// Copies from aligned bytes, up to seven behind the end as well: whole words are faster.
inline void CopyOutAligned(const std::byte* from, char* to, std::size_t size) {
  std::size_t i = 0;
  if constexpr (kHasWideMoves) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    for (; i + sizeof(Wide) <= size; i += sizeof(Wide)) MoveWide(from + i, to + i);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  for (; i < size; i += sizeof(Word)) {
    const Word word = LoadWord(from + i);
    std::memcpy(to + i, &word, sizeof(Word));
  }
}

// Copies `bytes` to `to`. The bytes around it in its first and last word stay; only one thread may
// change them.
void CopyIn(std::byte* to, Bytes bytes);

// Overwrites with zeros.
void Wipe(std::byte* at, std::size_t size);

// The first `size` bytes of eight, as a number in the order of bytes.
inline Word OrderOf(Word little, std::size_t size) {
  const Word big = __builtin_bswap64(little);
  return size >= sizeof(Word) ? big : big & ~(~Word{0} >> (8 * size));
}

// The first `size` bytes, eight at most; zeros behind them. Without a call of memcpy() for fewer than
// eight: loads that overlap.
inline Word LoadPlain(const char* from, std::size_t size) {
  Word word = 0;
  if (size >= sizeof(Word)) {
    std::memcpy(&word, from, sizeof(Word));
  } else if (size >= sizeof(std::uint32_t)) {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, from, sizeof(first));
    std::memcpy(&last, from + size - sizeof(last), sizeof(last));
    word = first | Word{last} << (8 * (size - sizeof(last)));
  } else if (size > 0) {
    const auto byte = [&](std::size_t i) {
      return Word{static_cast<unsigned char>(from[i])} << (8 * i);
    };
    word = byte(0) | byte(size / 2) | byte(size - 1);
  }
  return word;
}

// Compares the bytes at `at`, which is aligned, with `key`, in byte order.
int CompareWords(const std::byte* at, std::size_t size, Bytes key);

// True when the aligned bytes at `at` are those of `key`, of the same size.
inline bool EqualWords(const std::byte* at, Bytes key) {
  std::size_t i = 0;
  for (; i + sizeof(Word) <= key.size(); i += sizeof(Word)) {
    if (LoadWord(at + i) != LoadPlain(key.data() + i, sizeof(Word))) return false;
  }
  const std::size_t rest = key.size() - i;
  return rest == 0 ||
         ((LoadWord(at + i) ^ LoadPlain(key.data() + i, rest)) << (64 - 8 * rest)) == 0;
}

// Mixes bytes to 64 bits, all of which depend on all bytes. `seed` differs between processes, so
// that nobody can choose keys that meet in one bucket.
Word HashOf(Bytes key, Word seed);
Word HashOfWords(const std::byte* at, std::size_t size, Word seed);

// For a loop that waits for another thread's few instructions: yields after some rounds.
class Backoff {
 public:
  void Wait();

 private:
  int rounds_ = 0;
};

}  // namespace mayfly::engine::hot
