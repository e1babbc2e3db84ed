// shared_value.h - a small value that many threads read and few replace, without a lock for readers.
//   | version: odd while it is replaced | the value's bytes as words |
// A reader copies the words, and again if the version has changed meanwhile. So readers write to no
// memory that they share, and none waits for another. The words are atomic: a copy that is thrown
// away was no race. Stores of words release and loads acquire, so that a reader which has seen a word
// of a newer value sees its version, too.
// Threads: Load from any, Store from any. Lifetime: its own.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <type_traits>

namespace mayfly {

template <typename Value>
class SharedValue {
  static_assert(std::is_trivially_copyable_v<Value>);

 public:
  explicit SharedValue(const Value& value) { Store(value); }
  SharedValue(const SharedValue&) = delete;
  SharedValue& operator=(const SharedValue&) = delete;

  Value Load() const {
    for (;;) {
      const std::uint64_t before = version_.load(std::memory_order_acquire);
      Words words;
      for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = words_[i].load(std::memory_order_acquire);
      }
      if ((before & 1) != 0 || version_.load(std::memory_order_relaxed) != before) continue;
      Value value;
      std::memcpy(static_cast<void*>(&value), words.data(), sizeof value);
      return value;
    }
  }

  void Store(const Value& value) {
    Words words = {};
    std::memcpy(words.data(), static_cast<const void*>(&value), sizeof value);
    const std::lock_guard lock(mutex_);
    version_.fetch_add(1, std::memory_order_relaxed);
    for (std::size_t i = 0; i < words.size(); ++i) {
      words_[i].store(words[i], std::memory_order_release);
    }
    version_.fetch_add(1, std::memory_order_release);
  }

 private:
  using Word = std::uint64_t;
  using Words = std::array<Word, (sizeof(Value) + sizeof(Word) - 1) / sizeof(Word)>;

  std::mutex mutex_;  // Of those who replace it.
  std::atomic<std::uint64_t> version_{0};
  std::array<std::atomic<Word>, std::tuple_size_v<Words>> words_{};
};

}  // namespace mayfly
