// segment_changes.h - the changes in a closed segment of the log, read back for the fold and Find().
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "crypto/database_key.h"
#include "engine/batch.h"
#include "engine/hot/index/row.h"
#include "engine/hot/log/log_files.h"
#include "engine/hot/log/segment_chain.h"
#include "engine/hot/log/segment_reader.h"
#include "mayfly/result.h"

namespace mayfly::engine::hot {

struct LoggedChange {
  Sequence sequence = 0;
  Batch::Change change;
};

class SegmentChanges {
 public:
  // Reads the records up to segment.last_sequence. Corruption when one is missing or damaged.
  static Result<SegmentChanges> Read(LogFiles& files, const SegmentInfo& segment,
                                     const crypto::DatabaseKey* key);

  // Views point into this object; in the order of the log.
  const std::vector<LoggedChange>& changes() const { return changes_; }

 private:
  explicit SegmentChanges(std::unique_ptr<SegmentReader> reader) : reader_(std::move(reader)) {}

  std::unique_ptr<SegmentReader> reader_;
  std::deque<std::string> decrypted_;
  std::vector<LoggedChange> changes_;
};

// True if the bytes are in a record of the segment, or behind its last record.
Result<bool> SegmentContains(LogFiles& files, const SegmentInfo& segment,
                             const crypto::DatabaseKey* key, Bytes needle);

}  // namespace mayfly::engine::hot
