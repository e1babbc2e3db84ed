// sst_entries.h - everything that stands in an SST file, hidden or not.
// RocksDB's own readers show what a state shows: none of them gives an old version that a range
// tombstone covers, and its list of all versions stops at a damaged block without a word. Whoever
// proves that bytes are gone must see what readers hide, so this reads the blocks themselves.
//   | data block ... | range tombstones | properties ... | metaindex | index | footer 53 bytes |
//   block: entries, then | compression u8 | checksum u32 |
//   entry: | shared | own | value bytes (varints) | rest of the key | value |
// A key repeats the first `shared` bytes of the key before it: that, and LZ4, is why the bytes of a
// key need not be found in the file as it lies on the disk. Knows the files that rocks_profile.cc
// asks for, and refuses others as Unsupported. Checksums are left to RocksDB.
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
