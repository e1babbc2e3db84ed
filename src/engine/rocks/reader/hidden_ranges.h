// hidden_ranges.h - the ranges of the tables' keys that the log deleted.
// Immutable: each state keeps its own. Sorted and disjoint.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mayfly/bytes.h"

namespace mayfly::engine {

class HiddenRanges {
 public:
  struct Range {
    std::string begin;
    std::string end;  // Exclusive.
  };

  // The range that contains the key; null when there is none.
  const Range* Find(Bytes key) const;

  // A copy with one range more.
  std::shared_ptr<const HiddenRanges> With(Bytes begin, Bytes end) const;

 private:
  std::vector<Range> ranges_;
};

}  // namespace mayfly::engine
