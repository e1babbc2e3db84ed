// framed_records.h - the records of a log or manifest of RocksDB, whatever is damaged between them.
//   blocks of 32 KiB; in each: | checksum u32 | length u16 | type u8 | bytes |, again and again
//   type: 1 a whole record, 2 its first piece, 3 a middle one, 4 its last
// RocksDB stops at the first damage. Here the rest of that block is given up, and the next record
// that begins in a later one is read again.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <string>

#include "base/function_ref.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::engine {

struct FramedReport {
  std::uint64_t damaged_places = 0;
  bool ends_within_a_record = false;  // As a crash leaves it.
};

// Calls `take` for each record that is whole. IoError or Corruption when the file cannot be read.
Result<FramedReport> ForEachRecord(rocksdb::Env& env, const std::string& path,
                                   FunctionRef<void(Bytes record)> take);

}  // namespace mayfly::engine
