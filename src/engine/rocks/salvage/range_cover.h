// range_cover.h - the keys of a role that range tombstones hide, and up to which commit.
// Constant once it is built.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/rocks/salvage/sound_table.h"
#include "mayfly/bytes.h"

namespace mayfly::engine {

class RangeCover {
 public:
  RangeCover() = default;
  explicit RangeCover(const std::vector<RangeTombstone>& tombstones);

  // True if the version of the key that was committed at `sequence` is hidden.
  bool Hides(Bytes key, std::uint64_t sequence) const;

 private:
  // From each key on, up to the next, versions before this commit are hidden.
  std::map<std::string, std::uint64_t, std::less<>> hidden_before_;
};

}  // namespace mayfly::engine
