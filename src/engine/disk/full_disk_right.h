// full_disk_right.h - which commits may use the reserve of a full disk.
// A commit that frees more than it adds, or is housekeeping for such commits, goes on when the disk is
// full. It may add events of purged rows and index entries in proportion. Every engine asks here, so
// that all of them refuse the same commits with the same words. Decision 20 has the reasons.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/function_ref.h"
#include "engine/batch.h"
#include "mayfly/status.h"

namespace mayfly::engine {

enum class FullDiskRight : std::uint8_t {
  kNone,        // It adds bytes: nothing of the reserve.
  kRowDelete,   // It makes room: the reserve, except for what a flush needs and some more.
  kRangeDelete  // It makes much room and takes little: the reserve, except for what a flush needs.
};

// The right of a batch, as far as its changes alone tell.
FullDiskRight RightByItself(const Batch& batch);

// Bytes of the value that is stored under a key; nothing: there is none, or it cannot be read.
using StoredValueBytes = FunctionRef<std::optional<std::size_t>(Address at, Bytes key)>;

// True if the batch deletes as many bytes as it adds, apart from what it may add for each delete. A
// stream keeps an image of each deleted item, and a list's end may move to another list. The deleted
// pairs are read, which only commits that would be refused pay for.
bool FreesWhatItAdds(const Batch& batch, StoredValueBytes stored);

// The error of a commit with this right that found no room. `deletes_go_on`: there is a reserve, and
// enough of it is left for commits that make room.
Status RefusedForSpace(const std::string& engine, FullDiskRight right, bool deletes_go_on);

}  // namespace mayfly::engine
