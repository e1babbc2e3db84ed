// framed_records.h - reads all intact records of a damaged log or manifest of RocksDB.
// RocksDB stops at the first damage. Here only the damaged frame is given up: reading goes on at
// the frame that its length leads to, if that is sound, and otherwise at the next sound one of the
// block. A record that lost a fragment is given up whole. The frames: log_format.h.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::engine {

// A range of bytes of a file.
struct FileRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct FramedRecord {
  Bytes bytes;
  FileRange at;  // From its first fragment to its last.
  // It was found after damage, so its position is no proof: it may be bytes of a value that have
  // the form of a record.
  bool is_found = false;
};

struct FramedReport {
  std::vector<FileRange> damaged;
  bool ends_within_a_record = false;  // As after a crash.
};

// Calls `take` for each intact record. IoError or Corruption when the file cannot be read.
Result<FramedReport> ForEachRecord(rocksdb::Env& env, const std::string& path,
                                   FunctionRef<void(const FramedRecord& record)> take);

}  // namespace mayfly::engine
