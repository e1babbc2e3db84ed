// fold.h - moves what lives of one segment to the cold store.
//   1. the dead are deleted, by commits        4. range deletes, then rows in key order; synced
//   2. rows are chosen                         5. the marker: replay begins behind the segment
//   3. the whole log is synced                 6. rows are clean, the segment is removed
// A row is written only if its newest version is of this segment: later ones are for later folds.
// So the later ones must be on the device before the segment goes (3).
// Records are blind writes in order, and memory and pending ranges hide what the cold store has of
// them: so a fold that ended anywhere is simply repeated.
// Tombstones stay in memory until every view in use has their deletes (CleanTombstones()).
// Threads: one at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "crypto/database_key.h"
#include "engine/drop_policy.h"
#include "engine/engine.h"
#include "engine/hot/hot_state.h"
#include "engine/hot/log/hot_log.h"
#include "engine/hot/log_space.h"
#include "engine/hot/segment_changes.h"
#include "mayfly/clock.h"

namespace mayfly::engine::hot {

// A version of a row.
struct RowVersion {
  Role role = Role::kRows;
  std::string key;
  Sequence sequence = 0;
};

// Deletes these versions by a commit, where they still are the newest, and dead as the caller's
// `is_dead` says of the row as it is then: one batch may put a key several times.
using IsDeadRow = FunctionRef<bool(Role role, Bytes key, Bytes value)>;
using DropVersions = FunctionRef<Status(std::span<const RowVersion>, IsDeadRow)>;

// Read by any thread.
struct FoldCounts {
  std::atomic<std::uint64_t> log_bytes{0};  // Of segments that are folded.
  std::atomic<std::uint64_t> bytes{0};      // Of keys and values that were written.
};

class Fold {
 public:
  struct Parts {
    HotRows& rows;
    HotLog& log;
    LogFiles& files;
    Engine& cold;
    std::shared_ptr<const crypto::DatabaseKey> key;  // Null: the log is not encrypted.
    std::shared_ptr<const DropPolicy> policy;        // May be null.
    const LogSpace& space;
    std::size_t batch_bytes_max;  // Of one commit to the cold store.
    const Clock& clock;           // Measures how long a batch takes.
  };

  // Called after each batch for the cold store, with the time that it took.
  using Rest = FunctionRef<void(std::chrono::nanoseconds worked)>;

  explicit Fold(Parts parts) : parts_(std::move(parts)) {}

  // Folds a closed segment, the oldest one, whose records are complete. IoError when the disk is too
  // full for its rows: then the cold store is as it was.
  Status FoldSegment(const SegmentInfo& segment, DropVersions drop, Rest rest);

  // Removes tombstones that every view in use has, and range deletes.
  void CleanTombstones();

  const FoldCounts& counts() const { return counts_; }

 private:
  void DropTheDead(const SegmentChanges& segment, DropVersions drop);
  std::vector<LoggedChange> ChooseRows(const SegmentChanges& segment);
  Status CheckRoomFor(std::span<const LoggedChange> rows) const;
  Status WriteRanges(const SegmentChanges& segment);
  Status WriteRows(std::span<const LoggedChange> rows, Rest rest);
  void MarkRows(std::span<const LoggedChange> rows);

  const Parts parts_;
  FoldCounts counts_;
  std::deque<RowVersion> tombstones_;  // In the order of folds.
};

}  // namespace mayfly::engine::hot
