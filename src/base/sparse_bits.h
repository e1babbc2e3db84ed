// sparse_bits.h - a set of a few small numbers out of up to 4,096, in their order.
// Making one, copying it and walking over it costs by its members, not by the numbers there are: a
// word becomes valid with its first member. For the locks that a commit takes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mayfly {

template <std::size_t kSize>
class SparseBits {
 public:
  SparseBits() {}  // NOLINT(modernize-use-equals-default): words_ stays as it is.
  SparseBits(const SparseBits& other) { *this |= other; }
  SparseBits& operator=(const SparseBits& other) {
    if (this == &other) return *this;
    valid_ = 0;
    return *this |= other;
  }

  static SparseBits All() {
    SparseBits all;
    all.valid_ = ~std::uint64_t{0} >> (64 - kWords);
    all.words_.fill(~std::uint64_t{0});
    return all;
  }

  bool operator[](std::size_t number) const {
    return (valid_ >> number / 64 & 1) != 0 && (words_[number / 64] >> number % 64 & 1) != 0;
  }
  SparseBits& set(std::size_t number) {
    Word(number / 64) |= std::uint64_t{1} << number % 64;
    return *this;
  }
  SparseBits& operator|=(const SparseBits& other) {
    for (std::uint64_t valid = other.valid_; valid != 0; valid &= valid - 1) {
      const auto word = static_cast<std::size_t>(std::countr_zero(valid));
      Word(word) |= other.words_[word];
    }
    return *this;
  }
  void clear() { valid_ = 0; }

  // Calls visit(number), the lowest first.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (std::uint64_t valid = valid_; valid != 0; valid &= valid - 1) {
      const auto word = static_cast<std::size_t>(std::countr_zero(valid));
      for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1) {
        visit(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      }
    }
  }

 private:
  static constexpr std::size_t kWords = kSize / 64;
  static_assert(kSize % 64 == 0 && kWords > 0 && kWords <= 64);

  std::uint64_t& Word(std::size_t word) {
    const std::uint64_t bit = std::uint64_t{1} << word;
    if ((valid_ & bit) == 0) words_[word] = 0;
    valid_ |= bit;
    return words_[word];
  }

  std::uint64_t valid_ = 0;  // A bit for each word.
  std::array<std::uint64_t, kWords> words_;
};

}  // namespace mayfly
