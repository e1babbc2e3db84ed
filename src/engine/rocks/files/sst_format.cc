#include "engine/rocks/files/sst_format.h"

#include <fmt/format.h>
#include <lz4.h>
#include <rocksdb/compression_type.h>

#include <algorithm>
#include <limits>

#include "base/checksum.h"
#include "base/coding.h"
#include "engine/rocks/files/rocks_status.h"

namespace mayfly::engine {
namespace {

// RocksDB's numbers.
constexpr std::uint64_t kMagic = 0x88e241b785f4cff7;
constexpr std::size_t kFooterBytes = 53;
constexpr std::uint32_t kOldestFormat = 2;  // Since then, LZ4 blocks begin with their size.
constexpr std::uint32_t kNewestFormat = 5;
constexpr std::size_t kInternalKeyBytes = 8;

// No block is larger than the largest key and value, with some framing.
constexpr std::uint64_t kBlockBytesMax = std::uint64_t{1} << 30;
static_assert(kBlockBytesMax <= std::numeric_limits<int>::max(), "LZ4 counts in int");

Status Damaged(const char* what) {
  return Status::Corruption(fmt::format("an SST file with a damaged {}", what));
}

Status Read(const rocksdb::RandomAccessFile& file, std::uint64_t offset, std::size_t bytes,
            std::string& out) {
  out.resize(bytes);
  rocksdb::Slice read;
  if (const auto status = file.Read(offset, bytes, &read, out.data()); !status.ok()) {
    return FromRocks(status, "reading an SST file");
  }
  if (read.size() != bytes) return Damaged("end");
  if (read.data() != out.data()) out.assign(read.data(), read.size());
  return {};
}

Status Uncompress(Bytes in, std::string& out) {
  std::uint64_t bytes = 0;
  if (!EatVarint(in, bytes) || bytes > kBlockBytesMax) return Damaged("compressed block");
  out.resize(bytes);
  const int got = LZ4_decompress_safe(in.data(), out.data(), static_cast<int>(in.size()),
                                      static_cast<int>(out.size()));
  if (got < 0 || static_cast<std::size_t>(got) != out.size()) return Damaged("compressed block");
  return {};
}

// Cuts off what follows the entries: | restarts u32 ... | hash index, if any | count u32 |.
bool CutToEntries(Bytes& block) {
  constexpr std::uint32_t kHasHashIndex = 1u << 31;
  const auto cut = [&block](std::uint64_t bytes) {
    if (bytes > block.size()) return false;
    block.remove_suffix(bytes);
    return true;
  };
  std::uint32_t count = 0;
  Bytes end = block.substr(block.size() - std::min<std::size_t>(block.size(), sizeof count));
  if (!EatLittleEndian32(end, count) || !cut(sizeof count)) return false;
  if ((count & kHasHashIndex) != 0) {
    if (block.size() < 2) return false;
    const auto low = static_cast<unsigned char>(block[block.size() - 2]);
    const auto high = static_cast<unsigned char>(block[block.size() - 1]);
    const std::uint64_t buckets = low + 256u * high;
    if (!cut(2 + buckets)) return false;
  }
  return cut(std::uint64_t{count & ~kHasHashIndex} * sizeof(std::uint32_t));
}

// Consumes the key of one entry; `key` is the whole key then. `shared`: bytes of the key before.
bool EatKey(Bytes& in, std::string& key, std::uint64_t& shared, std::uint64_t* value_bytes) {
  std::uint64_t own = 0;
  if (!EatVarint(in, shared) || !EatVarint(in, own)) return false;
  if (value_bytes != nullptr && !EatVarint(in, *value_bytes)) return false;
  if (shared > key.size() || own > in.size()) return false;
  key.resize(shared);
  key.append(in.substr(0, own));
  in.remove_prefix(own);
  return true;
}

}  // namespace

bool EatBlockHandle(Bytes& in, BlockHandle& handle) {
  return EatVarint(in, handle.offset) && EatVarint(in, handle.bytes);
}

Result<SstFooter> ReadSstFooter(const rocksdb::RandomAccessFile& file, std::uint64_t file_bytes) {
  if (file_bytes < kFooterBytes) return Damaged("footer");
  std::string bytes;
  MAYFLY_RETURN_IF_ERROR(Read(file, file_bytes - kFooterBytes, kFooterBytes, bytes));
  Bytes end = Bytes(bytes).substr(kFooterBytes - 12);
  std::uint32_t format = 0;
  std::uint64_t magic = 0;
  if (!EatLittleEndian32(end, format) || !EatLittleEndian64(end, magic) || magic != kMagic) {
    return Damaged("footer");
  }
  if (format < kOldestFormat || format > kNewestFormat) {
    return Status::Unsupported(fmt::format("an SST file of format {}", format));
  }
  SstFooter footer{.checksum = bytes[0], .metaindex = {}, .index = {}};
  Bytes handles = Bytes(bytes).substr(1);
  if (!EatBlockHandle(handles, footer.metaindex) || !EatBlockHandle(handles, footer.index)) {
    return Damaged("footer");
  }
  return footer;
}

bool IsBlockChecksum(Bytes stored, std::uint32_t checksum) {
  // RocksDB mixes the compression into the checksum separately, to avoid copying it to the block.
  constexpr std::uint32_t kForCompression = 0x6b9083d9;
  const auto compression = static_cast<unsigned char>(stored.back());
  const auto hash = static_cast<std::uint32_t>(Hash64(stored.substr(0, stored.size() - 1)));
  return (hash ^ compression * kForCompression) == checksum;
}

Status UnpackSstBlock(Bytes stored, std::string& block) {
  const auto compression = static_cast<unsigned char>(stored.back());
  stored.remove_suffix(1);
  switch (compression) {
    case rocksdb::kNoCompression: block.assign(stored); return {};
    case rocksdb::kLZ4Compression: return Uncompress(stored, block);
    default:
      return Status::Unsupported(
          fmt::format("an SST file has a block of compression {}", compression));
  }
}

Status ReadSstBlock(const rocksdb::RandomAccessFile& file, const BlockHandle& handle, char checksum,
                    std::string& block) {
  if (handle.bytes > kBlockBytesMax) return Damaged("block handle");
  if (checksum != kBlockChecksum) {
    return Status::Unsupported(
        fmt::format("an SST file has checksums of kind {}", static_cast<int>(checksum)));
  }
  std::string raw;
  MAYFLY_RETURN_IF_ERROR(Read(file, handle.offset, handle.bytes + kBlockTrailerBytes, raw));
  const Bytes stored = Bytes(raw).substr(0, handle.bytes + 1);
  Bytes end = Bytes(raw).substr(stored.size());
  std::uint32_t expected = 0;
  if (!EatLittleEndian32(end, expected) || !IsBlockChecksum(stored, expected)) {
    return Damaged("block");
  }
  return UnpackSstBlock(stored, block);
}

Status ForEachPair(Bytes block, FunctionRef<Status(Bytes key, Bytes value)> take) {
  if (!CutToEntries(block)) return Damaged("block");
  std::string key;
  while (!block.empty()) {
    std::uint64_t shared = 0;
    std::uint64_t value_bytes = 0;
    if (!EatKey(block, key, shared, &value_bytes) || value_bytes > block.size()) {
      return Damaged("block");
    }
    MAYFLY_RETURN_IF_ERROR(take(key, block.substr(0, value_bytes)));
    block.remove_prefix(value_bytes);
  }
  return {};
}

// An index entry has no length of its value: | shared | own | rest of the key | handle |, and where
// the key shares bytes, the handle is encoded as the difference of its size from the last one's.
Status ForEachIndexEntry(Bytes block, FunctionRef<Status(Bytes key, const BlockHandle&)> take) {
  if (!CutToEntries(block)) return Damaged("index");
  std::string key;
  BlockHandle handle;
  while (!block.empty()) {
    std::uint64_t shared = 0;
    if (!EatKey(block, key, shared, nullptr)) return Damaged("index");
    std::int64_t longer = 0;
    if (shared == 0) {
      if (!EatBlockHandle(block, handle)) return Damaged("index");
    } else {
      if (!EatZigZag(block, longer)) return Damaged("index");
      handle.offset += handle.bytes + kBlockTrailerBytes;
      handle.bytes += static_cast<std::uint64_t>(longer);
    }
    MAYFLY_RETURN_IF_ERROR(take(key, handle));
  }
  return {};
}

bool ParseInternalKey(Bytes key, InternalKey& parsed) {
  if (key.size() < kInternalKeyBytes) return false;
  Bytes end = key.substr(key.size() - kInternalKeyBytes);
  std::uint64_t packed = 0;
  if (!EatLittleEndian64(end, packed)) return false;
  parsed.user_key = key.substr(0, key.size() - kInternalKeyBytes);
  parsed.sequence = packed >> 8;
  parsed.type = static_cast<unsigned char>(packed & 0xff);
  return true;
}

}  // namespace mayfly::engine
