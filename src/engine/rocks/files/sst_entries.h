// sst_entries.h - everything that stands in an SST file, hidden or not.
// RocksDB's own readers show what a state shows: none of them gives an old version that a range
// tombstone covers, and its list of all versions stops at a damaged block without a word. Whoever
// proves that bytes are gone must see what readers hide, so this reads the blocks themselves.
// Keys share their first bytes with the key before, and blocks may be compressed (sst_format.h):
// that is why the bytes of a key need not be found in the file as it lies on the disk.
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
  Bytes key;    // What the user wrote; of kIndexKey, a bound that may be shorter or longer.
  Bytes value;  // Of kRangeTombstone, the end of the range.
};

// Shows every entry until `take` says false. Corruption when the file is not whole.
Status ForEachSstEntry(const rocksdb::RandomAccessFile& file, std::uint64_t file_bytes,
                       FunctionRef<bool(const SstEntry&)> take);

}  // namespace mayfly::engine
