// hidden_ranges.h - keys of the tables that the log says are deleted, as ranges.
// Immutable: a state keeps the one of its moment. Sorted, and apart from each other.
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

  // The range that the key lies in; null when there is none.
  const Range* Find(Bytes key) const;

  // These, and one more.
  std::shared_ptr<const HiddenRanges> With(Bytes begin, Bytes end) const;

 private:
  std::vector<Range> ranges_;
};

}  // namespace mayfly::engine
