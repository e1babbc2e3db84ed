// purge_wait.h - lets core delete dead rows before the fold comes to their segment.
// A row that is dead by the clock is deleted by a commit: core must write its event, its count and
// its entry. A fold that comes first writes the row to the cold store, and soon its delete as well.
// So while a considerable part of the oldest segment is about to be deleted, it is not folded, and
// commits that add to the log wait for the deletes, at the log's bound.
// This is about cost alone: a segment that was waited for in vain is folded as it is.
// Threads: one at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "crypto/database_key.h"
#include "engine/drop_policy.h"
#include "engine/hot/hot_state.h"
#include "engine/hot/log/log_files.h"
#include "engine/hot/log/segment_chain.h"
#include "mayfly/clock.h"

namespace mayfly::engine::hot {

class PurgeWait {
 public:
  struct Parts {
    const HotRows& rows;
    LogFiles& files;
    std::shared_ptr<const crypto::DatabaseKey> key;  // Null: the log is not encrypted.
    std::shared_ptr<const DropPolicy> policy;        // Null: nothing is waited for.
    const Clock& clock;                              // Measures how long it waits.
  };

  explicit PurgeWait(Parts parts) : parts_(std::move(parts)) {}

  // True if this segment, the oldest and closed one, should not be folded yet. Its records must be
  // complete. The first call for a segment reads it, the others look at a sample of its rows.
  bool IsWorthIt(const SegmentInfo& segment);

 private:
  struct Sampled {
    Role role = Role::kRows;
    Sequence sequence = 0;
    std::string key;
    std::string value;
  };

  Status TakeSample(const SegmentInfo& segment);
  bool HasGone(const Sampled& row) const;

  const Parts parts_;
  std::uint64_t number_ = 0;       // Of the segment below.
  std::vector<Sampled> sample_;    // Puts that are still the newest of their rows.
  std::size_t sampled_bytes_ = 0;  // Of all puts that were sampled.
  SteadyTime progressed_at_;       // When some of them were gone.
  SteadyTime in_vain_until_;       // Until then nothing is waited for.
};

}  // namespace mayfly::engine::hot
