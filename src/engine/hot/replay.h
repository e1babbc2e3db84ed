// replay.h - applies records of the log to memory as the commits that wrote them did.
// One thread at a time; readers may read the rows meanwhile.
#pragma once

#include <span>
#include <vector>

#include "engine/batch.h"
#include "engine/hot/hot_state.h"
#include "engine/hot/log/log_recovery.h"

namespace mayfly::engine::hot {

class Replay {
 public:
  // The rows must outlive it, and say already whether they are resident.
  Replay(HotRows& rows, bool wipe_freed);

  // Makes the record visible. Busy when memory has no room for it; Corruption and Unsupported as
  // DecodePayload() says.
  Status Apply(const LogRecord& record);

  // Records that change nothing are not replayed, but count.
  void PublishBefore(Sequence end);

  // Of the last record; views point into its payload.
  std::span<const HotChange> changes() const { return changes_; }

 private:
  void Add(const Batch::Change& change, Sequence sequence);

  HotRows& rows_;
  Flags flags_ = 0;
  std::vector<HotIndex::Touch> touches_;
  std::vector<HotChange> changes_;
};

}  // namespace mayfly::engine::hot
