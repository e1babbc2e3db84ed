// sst_format.h - reads RocksDB's SST files: blocks, handles and entries.
//   | data block ... | range tombstones | properties ... | metaindex | index | footer 53 bytes |
//   block: entries, then | compression u8 | checksum u32 |
//   entry: | shared | own | value bytes (varints) | rest of the key | value |
// A key repeats the first `shared` bytes of the key before it. Reads files written with the
// settings of rocks_profile.cc, and refuses others as Unsupported.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <string>

#include "base/function_ref.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "mayfly/status.h"

namespace mayfly::engine {

struct BlockHandle {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// After each block: its compression and its checksum.
inline constexpr std::size_t kBlockTrailerBytes = 5;

// The checksum of our files, XXH3; RocksDB's number for it.
inline constexpr char kBlockChecksum = 4;

struct SstFooter {
  char checksum = kBlockChecksum;
  BlockHandle metaindex;
  BlockHandle index;
};

Result<SstFooter> ReadSstFooter(const rocksdb::RandomAccessFile& file, std::uint64_t file_bytes);

// Reads, checks and uncompresses a block.
Status ReadSstBlock(const rocksdb::RandomAccessFile& file, const BlockHandle& handle, char checksum,
                    std::string& block);

// True if `stored`, the bytes of a block and its compression, has this checksum.
bool IsBlockChecksum(Bytes stored, std::uint32_t checksum);

// Uncompresses a block that was read already: `stored` ends with its compression.
Status UnpackSstBlock(Bytes stored, std::string& block);

// Calls `take` for each entry of a block, in order; Corruption when it cannot be parsed.
Status ForEachPair(Bytes block, FunctionRef<Status(Bytes key, Bytes value)> take);

// Calls `take` for each entry of an index block, in order: an upper bound of the keys of a block,
// and its handle.
Status ForEachIndexEntry(Bytes block, FunctionRef<Status(Bytes key, const BlockHandle&)> take);

// A key as stored: the user's key, then | type u8 | sequence u56 |.
struct InternalKey {
  Bytes user_key;
  std::uint64_t sequence = 0;
  unsigned char type = 0;
};
inline constexpr unsigned char kTypeDeletion = 0;
inline constexpr unsigned char kTypeValue = 1;
inline constexpr unsigned char kTypeSingleDeletion = 7;
inline constexpr unsigned char kTypeRangeDeletion = 15;

// False when the bytes are too short.
[[nodiscard]] bool ParseInternalKey(Bytes key, InternalKey& parsed);

inline constexpr Bytes kRangeTombstonesBlock = "rocksdb.range_del";
inline constexpr Bytes kPropertiesBlock = "rocksdb.properties";

// Consumes a handle, as in metaindex and index.
[[nodiscard]] bool EatBlockHandle(Bytes& in, BlockHandle& handle);

}  // namespace mayfly::engine
