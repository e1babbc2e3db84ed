#include "engine/rocks/sst_entries.h"

#include <fmt/format.h>
#include <lz4.h>
#include <rocksdb/compression_type.h>

#include <limits>
#include <string>

#include "base/coding.h"
#include "engine/rocks/rocks_status.h"

namespace mayfly::engine {
namespace {

// RocksDB's numbers.
constexpr std::uint64_t kMagic = 0x88e241b785f4cff7;
constexpr std::size_t kFooterBytes = 53;
constexpr std::uint32_t kOldestFormat = 2;  // Since then, LZ4 blocks begin with their size.
constexpr std::uint32_t kNewestFormat = 5;
constexpr std::size_t kTrailerBytes = 5;
constexpr std::size_t kInternalKeyBytes = 8;  // Behind a key: | type u8 | sequence u56 |.
constexpr unsigned char kTypeDeletion = 0;
constexpr unsigned char kTypeSingleDeletion = 7;
constexpr Bytes kRangeTombstones = "rocksdb.range_del";

// No block is larger than the largest key and value, with some framing.
constexpr std::uint64_t kBlockBytesMax = std::uint64_t{1} << 30;
static_assert(kBlockBytesMax <= std::numeric_limits<int>::max(), "LZ4 counts in int");

Status Damaged(const char* what) {
  return Status::Corruption(fmt::format("an SST file with a damaged {}", what));
}

struct Handle {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

bool EatHandle(Bytes& in, Handle& handle) {
  return EatVarint(in, handle.offset) && EatVarint(in, handle.bytes);
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

Status ReadBlock(const rocksdb::RandomAccessFile& file, const Handle& handle, std::string& block) {
  if (handle.bytes > kBlockBytesMax) return Damaged("block handle");
  std::string raw;
  MAYFLY_RETURN_IF_ERROR(Read(file, handle.offset, handle.bytes + kTrailerBytes, raw));
  const auto compression = static_cast<unsigned char>(raw[handle.bytes]);
  raw.resize(handle.bytes);
  switch (compression) {
    case rocksdb::kNoCompression: block = std::move(raw); return {};
    case rocksdb::kLZ4Compression: return Uncompress(raw, block);
    default:
      return Status::Unsupported(
          fmt::format("an SST file has a block of compression {}", compression));
  }
}

// Cuts off what stands behind the entries: | restarts u32 ... | hash index, if so | count u32 |.
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

// Eats the key of one entry and leaves it whole in `key`. `shared`: bytes it took over.
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

using TakePair = FunctionRef<Status(Bytes key, Bytes value)>;

Status ForEachPair(Bytes block, TakePair take) {
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

class Walk {
 public:
  Walk(const rocksdb::RandomAccessFile& file, FunctionRef<bool(const SstEntry&)> take)
      : file_(file), take_(take) {}

  Status Run(std::uint64_t file_bytes) {
    Handle metaindex;
    Handle index;
    MAYFLY_RETURN_IF_ERROR(ReadFooter(file_bytes, metaindex, index));
    MAYFLY_RETURN_IF_ERROR(WalkMetaindex(metaindex));
    return WalkIndex(index);
  }

 private:
  Status ReadFooter(std::uint64_t file_bytes, Handle& metaindex, Handle& index) {
    if (file_bytes < kFooterBytes) return Damaged("footer");
    std::string footer;
    MAYFLY_RETURN_IF_ERROR(Read(file_, file_bytes - kFooterBytes, kFooterBytes, footer));
    Bytes end = Bytes(footer).substr(kFooterBytes - 12);
    std::uint32_t format = 0;
    std::uint64_t magic = 0;
    if (!EatLittleEndian32(end, format) || !EatLittleEndian64(end, magic) || magic != kMagic) {
      return Damaged("footer");
    }
    if (format < kOldestFormat || format > kNewestFormat) {
      return Status::Unsupported(fmt::format("an SST file of format {}", format));
    }
    Bytes handles = Bytes(footer).substr(1);  // Behind the kind of checksum.
    if (!EatHandle(handles, metaindex) || !EatHandle(handles, index)) return Damaged("footer");
    return {};
  }

  Status WalkMetaindex(const Handle& handle) {
    std::string metaindex;
    MAYFLY_RETURN_IF_ERROR(ReadBlock(file_, handle, metaindex));
    return ForEachPair(metaindex, [this](Bytes name, Bytes value) -> Status {
      if (name != kRangeTombstones) return {};
      Handle block;
      if (!EatHandle(value, block)) return Damaged("metaindex");
      return WalkEntries(block, /*ranges=*/true);
    });
  }

  // An index entry has no length of its value: | shared | own | rest of the key | handle |, and
  // where the key shares bytes, the handle is told by how much longer its block is than the last.
  Status WalkIndex(const Handle& handle) {
    std::string contents;
    MAYFLY_RETURN_IF_ERROR(ReadBlock(file_, handle, contents));
    Bytes entries = contents;
    if (!CutToEntries(entries)) return Damaged("index");
    std::string key;
    Handle block;
    while (!entries.empty() && !stopped_) {
      std::uint64_t shared = 0;
      if (!EatKey(entries, key, shared, nullptr)) return Damaged("index");
      std::int64_t longer = 0;
      if (shared == 0) {
        if (!EatHandle(entries, block)) return Damaged("index");
      } else {
        if (!EatZigZag(entries, longer)) return Damaged("index");
        block.offset += block.bytes + kTrailerBytes;
        block.bytes += static_cast<std::uint64_t>(longer);
      }
      Show({.kind = SstEntry::Kind::kIndexKey, .key = key, .value = {}});
      MAYFLY_RETURN_IF_ERROR(WalkEntries(block, /*ranges=*/false));
    }
    return {};
  }

  Status WalkEntries(const Handle& handle, bool ranges) {
    if (stopped_) return {};
    std::string block;
    MAYFLY_RETURN_IF_ERROR(ReadBlock(file_, handle, block));
    return ForEachPair(block, [this, ranges](Bytes key, Bytes value) -> Status {
      if (key.size() < kInternalKeyBytes) return Damaged("key");
      const auto type = static_cast<unsigned char>(key[key.size() - kInternalKeyBytes]);
      key.remove_suffix(kInternalKeyBytes);
      const bool deletion = type == kTypeDeletion || type == kTypeSingleDeletion;
      Show({.kind = ranges     ? SstEntry::Kind::kRangeTombstone
                    : deletion ? SstEntry::Kind::kTombstone
                               : SstEntry::Kind::kValue,
            .key = key,
            .value = value});
      return {};
    });
  }

  void Show(const SstEntry& entry) {
    if (!stopped_) stopped_ = !take_(entry);
  }

  const rocksdb::RandomAccessFile& file_;
  const FunctionRef<bool(const SstEntry&)> take_;
  bool stopped_ = false;
};

}  // namespace

Status ForEachSstEntry(const rocksdb::RandomAccessFile& file, std::uint64_t file_bytes,
                       FunctionRef<bool(const SstEntry&)> take) {
  return Walk(file, take).Run(file_bytes);
}

}  // namespace mayfly::engine
