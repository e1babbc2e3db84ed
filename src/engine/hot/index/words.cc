#include "engine/hot/index/words.h"

#include <algorithm>
#include <thread>

namespace mayfly::engine::hot {
namespace {

constexpr std::size_t kWordBytes = sizeof(Word);
constexpr int kSpinsBeforeYield = 64;

struct Aligned {
  std::byte* word;
  std::size_t skip;  // Bytes of the first word before the address.
};

Aligned Align(const std::byte* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const std::size_t skip = address % kWordBytes;
  return {.word = const_cast<std::byte*>(at) - skip, .skip = skip};
}

// A word's bytes outside [skip, skip + size) stay.
void MergeWord(std::byte* at, std::size_t skip, std::size_t size, Word bytes) {
  const Word mask = (size == kWordBytes ? ~Word{0} : (Word{1} << (8 * size)) - 1) << (8 * skip);
  StoreWord(at, (LoadWord(at) & ~mask) | ((bytes << (8 * skip)) & mask));
}

// Multiplies to 128 bits and folds them.
Word Fold(Word a, Word b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<Word>(product) ^ static_cast<Word>(product >> 64);
}

constexpr Word kOddA = 0x9e3779b97f4a7c15;  // The golden ratio, in 64 bits.
constexpr Word kOddB = 0xc2b2ae3d27d4eb4f;

template <typename Load>
Word Mix(std::size_t size, Word seed, const Load& load) {
  Word hash = seed ^ (size * kOddA);
  std::size_t i = 0;
  for (; i + kWordBytes <= size; i += kWordBytes) {
    hash = Fold(hash ^ load(i, kWordBytes), kOddA) + kOddB;
  }
  if (i < size) hash = Fold(hash ^ load(i, size - i), kOddB) + kOddA;
  return Fold(hash ^ kOddB, kOddA ^ seed);
}

}  // namespace

void CopyOut(const std::byte* from, char* to, std::size_t size) {
  if (kHasWideMoves && size >= sizeof(Wide)) return MoveAllWide(from, to, size);
  auto [at, skip] = Align(from);
  if (skip == 0) {
    for (; size >= kWordBytes; size -= kWordBytes, at += kWordBytes, to += kWordBytes) {
      const Word word = LoadWord(at);
      std::memcpy(to, &word, kWordBytes);
    }
    if (size > 0) {
      const Word word = LoadWord(at);
      std::memcpy(to, &word, size);
    }
    return;
  }
  if (size == 0) return;
  Word word = LoadWord(at) >> (8 * skip);
  const std::size_t have = kWordBytes - skip;
  while (size > have) {
    at += kWordBytes;
    const Word next = LoadWord(at);
    word |= next << (8 * have);
    if (size < kWordBytes) break;
    std::memcpy(to, &word, kWordBytes);
    to += kWordBytes;
    size -= kWordBytes;
    word = next >> (8 * skip);
  }
  std::memcpy(to, &word, size);
}

void CopyIn(std::byte* to, Bytes bytes) {
  if (kHasWideMoves && bytes.size() >= sizeof(Wide)) {
    return MoveAllWide(bytes.data(), to, bytes.size());
  }
  auto [at, skip] = Align(to);
  const char* from = bytes.data();
  std::size_t size = bytes.size();
  if (skip != 0 && size > 0) {
    const std::size_t first = std::min(size, kWordBytes - skip);
    MergeWord(at, skip, first, LoadPlain(from, first));
    at += kWordBytes;
    from += first;
    size -= first;
  }
  for (; size >= kWordBytes; size -= kWordBytes, at += kWordBytes, from += kWordBytes) {
    StoreWord(at, LoadPlain(from, kWordBytes));
  }
  if (size > 0) MergeWord(at, 0, size, LoadPlain(from, size));
}

void Wipe(std::byte* at, std::size_t size) {
  if (kHasWideMoves && size >= sizeof(Wide)) {
    static constexpr Wide kZeros = {};
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const std::size_t last = size - sizeof(Wide);
    for (std::size_t i = 0; i < last; i += sizeof(Wide)) MoveWide(&kZeros, at + i);
    MoveWide(&kZeros, at + last);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return;
  }
  auto [word, skip] = Align(at);
  if (skip != 0 && size > 0) {
    const std::size_t first = std::min(size, kWordBytes - skip);
    MergeWord(word, skip, first, 0);
    word += kWordBytes;
    size -= first;
  }
  for (; size >= kWordBytes; size -= kWordBytes, word += kWordBytes) StoreWord(word, 0);
  if (size > 0) MergeWord(word, 0, size, 0);
}

int CompareWords(const std::byte* at, std::size_t size, Bytes key) {
  const std::size_t common = std::min(size, key.size());
  std::size_t i = 0;
  for (; i + kWordBytes <= common; i += kWordBytes) {
    const Word a = LoadWord(at + i);
    const Word b = LoadPlain(key.data() + i, kWordBytes);
    if (a != b) return __builtin_bswap64(a) < __builtin_bswap64(b) ? -1 : 1;
  }
  if (const std::size_t left = common - i; left > 0) {
    const Word a = OrderOf(LoadWord(at + i), left);
    const Word b = OrderOf(LoadPlain(key.data() + i, left), left);
    if (a != b) return a < b ? -1 : 1;
  }
  return size == key.size() ? 0 : (size < key.size() ? -1 : 1);
}

Word HashOf(Bytes key, Word seed) {
  return Mix(key.size(), seed,
             [&](std::size_t i, std::size_t n) { return LoadPlain(key.data() + i, n); });
}

Word HashOfWords(const std::byte* at, std::size_t size, Word seed) {
  return Mix(size, seed, [&](std::size_t i, std::size_t n) {
    const Word word = LoadWord(at + i);
    return n == kWordBytes ? word : word & ((Word{1} << (8 * n)) - 1);
  });
}

void Backoff::Wait() {
  if (++rounds_ < kSpinsBeforeYield) {
    __builtin_ia32_pause();
  } else {
    std::this_thread::yield();
  }
}

}  // namespace mayfly::engine::hot
