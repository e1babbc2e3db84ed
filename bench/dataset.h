// dataset.h - the rows of every benchmark: 16 bytes of random key, 100 bytes of random value.
// Keys lie in an array in the order they were drawn, so walking the array visits the database in
// random order and costs next to nothing. Values are cut from a pool that stays in the CPU's cache:
// what is measured is the database, not the making of rows.
#pragma once

#include <cstddef>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly::bench {

class Dataset {
 public:
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr std::size_t kValueBytes = 100;

  explicit Dataset(std::size_t rows);

  std::size_t rows() const { return rows_; }

  // Both for any i: the numbers go round.
  Bytes key(std::size_t i) const { return KeyOf(keys_, i); }
  Bytes value(std::size_t i) const { return Cut(i, kValueBytes); }

  // As long as core stores a value with a deadline: for the engine's side of a comparison.
  Bytes stored(std::size_t i) const { return Cut(i, kValueBytes + 9); }

  // A key that was never written.
  Bytes missing_key(std::size_t i) const { return KeyOf(missing_keys_, i); }

 private:
  Bytes Cut(std::size_t i, std::size_t bytes) const {
    return Bytes(values_).substr(i * 61 % (values_.size() - bytes), bytes);
  }
  Bytes KeyOf(const std::string& keys, std::size_t i) const {
    return Bytes(keys).substr(i % rows_ * kKeyBytes, kKeyBytes);
  }

  const std::size_t rows_;
  const std::string keys_;
  const std::string missing_keys_;
  const std::string values_;
};

}  // namespace mayfly::bench
