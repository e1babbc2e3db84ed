// read_set.h - the rows a transaction has read, their bytes, and the parts of collections.
// All of them come from one state, so a row is read from the engine once: the copy here serves the
// next read and the commit's check whether the row has changed. Bounded: past kSeenBytesMax, or for
// a row that is large by itself, only the key is kept. Of the parts of a collection, members and
// sides, the ranges of keys are kept that were read: a part that appears in one is a change, too.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly::core {

class ReadSet {
 public:
  // By first key; both ends belong to the range. A part that was read by its key is a range of one.
  using PartRanges = std::map<std::string, std::string, std::less<>>;

  struct Seen {
    bool known = false;
    std::optional<std::string> stored = std::nullopt;  // If known: the row's bytes, dead or not.
    PartRanges parts = {};                             // Of the row's collection.
  };
  using Rows = std::map<std::string, Seen, std::less<>>;  // By row key.

  // Adds the key if it is new.
  Seen& At(Bytes row_key);

  // `stored` is nothing when there was no row.
  void Remember(Seen& seen, std::optional<Bytes> stored);

  // Adds the parts in [first, last], given by their keys in `members`.
  void AddParts(Bytes row_key, Bytes first, Bytes last);

  const Rows& rows() const { return rows_; }
  std::size_t size() const { return rows_.size() + ranges_; }
  void Clear();

 private:
  Rows rows_;
  std::size_t bytes_ = 0;
  std::size_t ranges_ = 0;
};

}  // namespace mayfly::core
