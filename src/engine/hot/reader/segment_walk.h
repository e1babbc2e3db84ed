// segment_walk.h - follows the log of a memory-first engine from segment to segment.
// The writer may be alive, in this process or another: it appends by many threads at once, begins
// segments, and removes old ones. What the walk relies on (docs/formats/hot_log.md):
// (1) A record counts if its check is right and all before it count. A commit is acknowledged only
//     when every record before its own is complete, so nothing behind the first other record was.
//     That record is no damage: a thread may be copying it, or the writer died while it did.
// (2) A segment has ended when the next one has begun, whose header says where. The header is read
//     first: if the next segment had not begun then, what was acknowledged is in this one.
// (3) A record is damaged if a proof that it was on the device, a later header or record, was read
//     before the record itself, and the record is not whole even so: a proof is written after the
//     record was complete. Later headers are read anyway. Records are searched for a proof only by
//     CheckEnd(), because that reads all of what lies behind.
// One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crypto/database_key.h"
#include "engine/hot/index/row.h"
#include "engine/hot/log/found_segments.h"
#include "engine/hot/log/log_recovery.h"
#include "engine/hot/log/segment_reader.h"
#include "engine/hot/reader/segment_tail.h"

namespace mayfly::engine::hot {

class SegmentWalk {
 public:
  enum class Outcome {
    kLevel,  // Everything that was acknowledged before the call has been handed on.
    kLost,   // Segments in between are gone, or the writer took a failed write back.
  };

  // A segment that was read to its end.
  struct Passed {
    Sequence last_sequence = 0;
    std::uint64_t bytes = 0;
  };

  // Hands on the records from `from` on. `files` and `key` must outlive the walk.
  SegmentWalk(LogFiles& files, const crypto::DatabaseKey* key, Sequence from)
      : files_(files), key_(key), from_(from) {}

  // Hands on what was appended since the last call. After an error of `replay` the walk is of no
  // more use.
  Result<Outcome> Advance(ReplayRecord replay);

  // Corruption if a record behind the end proves that the log was longer, as (3) says.
  Status CheckEnd();

  // The first record that was not handed on.
  Sequence next_sequence() const;

  // Oldest first.
  const std::vector<Passed>& passed() const { return passed_; }

  // Read so far of the present segment.
  std::uint64_t bytes() const { return tail_ == nullptr ? 0 : tail_->offset(); }

 private:
  struct Found {
    std::unique_ptr<LogFile> file;
    SegmentHeader header;
  };
  enum class Place { kMissing, kNotBegun, kBegun };

  Result<Place> Look(std::uint64_t number, Found& found) const;
  Result<Outcome> FindFirst();
  Result<Outcome> WithoutNext() const;
  Status ReadTo(std::uint64_t end, ReplayRecord replay);
  Result<std::optional<SegmentReader>> OpenWhole(const SegmentHeader& header) const;
  Result<bool> IsProvenBehind() const;
  Status Damaged() const;

  LogFiles& files_;
  const crypto::DatabaseKey* const key_;
  const Sequence from_;
  std::unique_ptr<SegmentTail> tail_;  // Null: the log has not begun, or this has not.
  std::vector<Passed> passed_;
  std::string buffer_;
};

}  // namespace mayfly::engine::hot
