// sst_entries.h - all entries of an SST file, hidden or not.
// RocksDB's own readers show visible entries: none returns an old version that a range tombstone
// covers, and its list of all versions stops silently at a damaged block. A proof that bytes are
// gone must see what readers hide, so this reads the blocks themselves.
// Keys share their first bytes with the key before, and blocks may be compressed (sst_format.h), so
// a search of the raw file may miss the bytes of a key.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>

#include "base/function_ref.h"
#include "mayfly/bytes.h"
#include "mayfly/status.h"

namespace mayfly::engine {

struct SstEntry {
  enum class Kind : std::uint8_t { kValue, kTombstone, kRangeTombstone, kIndexKey };
  Kind kind;
  Bytes key;    // The user's key; of kIndexKey, a bound that may be shorter or longer.
  Bytes value;  // Of kRangeTombstone, the end of the range.
};

// Calls `take` for every entry until it returns false. Corruption when the file is damaged.
Status ForEachSstEntry(const rocksdb::RandomAccessFile& file, std::uint64_t file_bytes,
                       FunctionRef<bool(const SstEntry&)> take);

}  // namespace mayfly::engine
