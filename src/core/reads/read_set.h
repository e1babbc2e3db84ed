// read_set.h - the rows a transaction has read, and their bytes.
// All of them come from one state, so a row is read from the engine once: the copy here serves the
// next read and the commit's check whether the row has changed. Bounded: past kSeenBytesMax, or for
// a row that is large by itself, only the key is kept.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly::core {

class ReadSet {
 public:
  struct Seen {
    bool known = false;
    std::optional<std::string> stored = std::nullopt;  // If known: the row's bytes, dead or not.
  };
  using Rows = std::map<std::string, Seen, std::less<>>;  // By row key.

  // Adds the key if it is new.
  Seen& At(Bytes row_key);

  // `stored` is nothing when there was no row.
  void Remember(Seen& seen, std::optional<Bytes> stored);

  const Rows& rows() const { return rows_; }
  void Clear();

 private:
  Rows rows_;
  std::size_t bytes_ = 0;
};

}  // namespace mayfly::core
