// framed_records.h - the records of a log or manifest of RocksDB, whatever is damaged between them.
// RocksDB stops at the first damage. Here a damaged frame is given up alone: reading goes on at the
// frame that its length leads to, if that is sound, and otherwise at the next sound one of the
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

// A stretch of a file.
struct FileRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct FramedRecord {
  Bytes bytes;
  FileRange at;  // From its first fragment to its last.
  // It was found behind damage, so its place vouches for nothing: it may be the bytes of a value
  // that look like a record.
  bool is_found = false;
};

struct FramedReport {
  std::vector<FileRange> damaged;
  bool ends_within_a_record = false;  // As a crash leaves it.
};

// Calls `take` for each record that is whole. IoError or Corruption when the file cannot be read.
Result<FramedReport> ForEachRecord(rocksdb::Env& env, const std::string& path,
                                   FunctionRef<void(const FramedRecord& record)> take);

}  // namespace mayfly::engine
