// sst_format.h - how RocksDB lays out an SST file: blocks, where they are, and what is in one.
//   | data block ... | range tombstones | properties ... | metaindex | index | footer 53 bytes |
//   block: entries, then | compression u8 | checksum u32 |
//   entry: | shared | own | value bytes (varints) | rest of the key | value |
// A key repeats the first `shared` bytes of the key before it. Knows the files that
// rocks_profile.cc asks for, and refuses others as Unsupported.
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

// Behind each block: its compression and its checksum.
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

// Whether `stored`, the bytes of a block and its compression, has this checksum.
bool IsBlockChecksum(Bytes stored, std::uint32_t checksum);

// The same for a block that was read already: `stored` ends with its compression.
Status UnpackSstBlock(Bytes stored, std::string& block);

// Calls `take` for each entry of a block, in order; Corruption when it is none.
Status ForEachPair(Bytes block, FunctionRef<Status(Bytes key, Bytes value)> take);

// The same for the entries of an index: each has a key that no key of its block is above.
Status ForEachIndexEntry(Bytes block, FunctionRef<Status(Bytes key, const BlockHandle&)> take);

// What stands behind a user's key: | type u8 | sequence u56 |.
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

// Eats a handle, as metaindex and index have it.
[[nodiscard]] bool EatBlockHandle(Bytes& in, BlockHandle& handle);

}  // namespace mayfly::engine
