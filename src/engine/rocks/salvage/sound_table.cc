#include "engine/rocks/salvage/sound_table.h"

#include <fmt/format.h>
#include <rocksdb/compression_type.h>

#include <algorithm>
#include <utility>

#include "base/coding.h"
#include "engine/rocks/files/rocks_status.h"

namespace mayfly::engine {
namespace {

// Bytes in which the end of a block is searched for without an index.
constexpr std::size_t kLookForBlockBytesMax = std::size_t{1} << 20;

// RocksDB's numbers.
constexpr std::uint32_t kTwoLevelIndex = 2;
constexpr Bytes kFamilyName = "rocksdb.column.family.name";
constexpr Bytes kIndexHasUserKeys = "rocksdb.index.key.is.user.key";
constexpr Bytes kIndexType = "rocksdb.block.based.table.index.type";

Status NotOurs(const char* what) { return Status::Corruption(fmt::format("a damaged {}", what)); }

}  // namespace

Status ParseDataBlock(Bytes block, std::vector<TableEntry>& entries) {
  entries.clear();
  return ForEachPair(block, [&entries](Bytes key, Bytes value) -> Status {
    InternalKey parsed;
    if (!ParseInternalKey(key, parsed)) return NotOurs("key");
    const bool deleted = parsed.type == kTypeDeletion || parsed.type == kTypeSingleDeletion;
    if (!deleted && parsed.type != kTypeValue) return NotOurs("kind of entry");
    if (!entries.empty()) {
      const int order = parsed.user_key.compare(entries.back().key);
      if (order < 0) return NotOurs("order of keys");
      if (order == 0) return {};  // An older version.
    }
    entries.push_back({.key = std::string(parsed.user_key),
                       .sequence = parsed.sequence,
                       .deleted = deleted,
                       .value = std::string(value)});
    return {};
  });
}

SoundTable::SoundTable(std::unique_ptr<rocksdb::RandomAccessFile> file, std::uint64_t bytes,
                       std::string name, NoteDamage note)
    : file_(std::move(file)), bytes_(bytes), name_(std::move(name)), note_(std::move(note)) {}

Result<std::shared_ptr<const SoundTable>> SoundTable::Open(rocksdb::Env& env,
                                                           const std::string& path,
                                                           std::string name, NoteDamage note) {
  std::unique_ptr<rocksdb::RandomAccessFile> file;
  std::uint64_t bytes = 0;
  rocksdb::Status opened = env.NewRandomAccessFile(path, &file, rocksdb::EnvOptions());
  if (opened.ok()) opened = env.GetFileSize(path, &bytes);
  if (opened.IsPathNotFound() || opened.IsNotFound()) {
    return Status::Corruption("the file is missing");
  }
  if (!opened.ok()) return Status::Corruption(opened.ToString());
  const std::shared_ptr<SoundTable> table(
      new SoundTable(std::move(file), bytes, std::move(name), std::move(note)));
  MAYFLY_RETURN_IF_ERROR(table->ReadAll());
  return std::shared_ptr<const SoundTable>(table);
}

Status SoundTable::ReadAll() {
  Status indexed;
  if (const auto footer = ReadSstFooter(*file_, bytes_); footer.has_value()) {
    checksum_ = footer->checksum;
    if (const Status read = ReadMetaindex(footer->metaindex); !read.ok()) {
      Note(footer->metaindex.offset, "what it says of itself, and which ranges it deleted, if any");
    }
    indexed = ReadIndex(footer->index);
  } else {
    indexed = footer.error();
  }
  if (indexed.ok()) return {};
  if (indexed.code() == StatusCode::kUnsupported) return indexed;
  blocks_.clear();
  std::uint64_t offset = 0;
  while (FindNextBlock(offset)) {
    offset = blocks_.back().at.offset + blocks_.back().at.bytes + kBlockTrailerBytes;
  }
  if (blocks_.empty()) return indexed;
  Note(bytes_,
       fmt::format("its index; of its {} bytes the first {} are read without one", bytes_, offset));
  return {};
}

Status SoundTable::ReadMetaindex(const BlockHandle& handle) {
  std::string metaindex;
  MAYFLY_RETURN_IF_ERROR(ReadSstBlock(*file_, handle, checksum_, metaindex));
  return ForEachPair(metaindex, [this](Bytes block_name, Bytes value) -> Status {
    BlockHandle block;
    if (block_name == kPropertiesBlock) {
      if (!EatBlockHandle(value, block)) return NotOurs("metaindex");
      if (!ReadProperties(block).ok()) Note(block.offset, "what it says of itself");
    } else if (block_name == kRangeTombstonesBlock) {
      if (!EatBlockHandle(value, block)) return NotOurs("metaindex");
      if (!ReadRanges(block).ok()) Note(block.offset, "which ranges it deleted");
    }
    return {};
  });
}

Status SoundTable::ReadProperties(const BlockHandle& handle) {
  std::string properties;
  MAYFLY_RETURN_IF_ERROR(ReadSstBlock(*file_, handle, checksum_, properties));
  return ForEachPair(properties, [this](Bytes property, Bytes value) -> Status {
    std::uint64_t number = 0;
    std::uint32_t type = 0;
    if (property == kFamilyName) {
      family_ = value;
    } else if (property == kIndexHasUserKeys) {
      if (!EatVarint(value, number)) return NotOurs("property");
      index_has_user_keys_ = number != 0;
    } else if (property == kIndexType) {
      if (!EatLittleEndian32(value, type)) return NotOurs("property");
      index_has_two_levels_ = type == kTwoLevelIndex;
    }
    return {};
  });
}

Status SoundTable::ReadRanges(const BlockHandle& handle) {
  std::string block;
  MAYFLY_RETURN_IF_ERROR(ReadSstBlock(*file_, handle, checksum_, block));
  return ForEachPair(block, [this](Bytes key, Bytes end) -> Status {
    InternalKey parsed;
    if (!ParseInternalKey(key, parsed)) return NotOurs("range");
    ranges_.push_back({std::string(parsed.user_key), std::string(end), parsed.sequence});
    return {};
  });
}

Status SoundTable::ReadIndex(const BlockHandle& handle) {
  std::string index;
  MAYFLY_RETURN_IF_ERROR(ReadSstBlock(*file_, handle, checksum_, index));
  const auto add = [this](Bytes key, const BlockHandle& at) -> Status {
    InternalKey parsed;
    if (!index_has_user_keys_) {
      if (!ParseInternalKey(key, parsed)) return NotOurs("index");
      key = parsed.user_key;
    }
    blocks_.push_back({std::string(key), at});
    return {};
  };
  if (!index_has_two_levels_) return ForEachIndexEntry(index, add);
  return ForEachIndexEntry(index, [&](Bytes, const BlockHandle& at) -> Status {
    std::string part;
    MAYFLY_RETURN_IF_ERROR(ReadSstBlock(*file_, at, checksum_, part));
    return ForEachIndexEntry(part, add);
  });
}

// A block ends with its compression and checksum: it ends where the bytes match both.
bool SoundTable::FindNextBlock(std::uint64_t offset) {
  if (offset >= bytes_) return false;
  std::string bytes(std::min<std::uint64_t>(kLookForBlockBytesMax, bytes_ - offset), '\0');
  rocksdb::Slice read;
  if (!file_->Read(offset, bytes.size(), &read, bytes.data()).ok()) return false;
  const Bytes here = ToBytes(read);
  std::string block;
  std::vector<TableEntry> entries;
  for (std::size_t length = 1; length + kBlockTrailerBytes <= here.size(); ++length) {
    if (here[length] != rocksdb::kNoCompression && here[length] != rocksdb::kLZ4Compression) {
      continue;
    }
    Bytes end = here.substr(length + 1);
    std::uint32_t checksum = 0;
    const Bytes stored = here.substr(0, length + 1);
    if (!EatLittleEndian32(end, checksum) || !IsBlockChecksum(stored, checksum)) continue;
    // Blocks of other kinds follow the last data block.
    if (!UnpackSstBlock(stored, block).ok() || !ParseDataBlock(block, entries).ok()) return false;
    if (entries.empty()) return false;
    if (!blocks_.empty() && entries.front().key < blocks_.back().last_key) return false;
    blocks_.push_back({entries.back().key, {offset, length}});
    return true;
  }
  return false;
}

std::size_t SoundTable::FindBlock(Bytes key) const {
  const auto found = std::lower_bound(
      blocks_.begin(), blocks_.end(), key,
      [](const Block& block, Bytes sought) { return Bytes(block.last_key) < sought; });
  return static_cast<std::size_t>(found - blocks_.begin());
}

bool SoundTable::ReadBlock(std::size_t block, std::vector<TableEntry>& entries) const {
  const BlockHandle& at = blocks_[block].at;
  std::string contents;
  Status read = ReadSstBlock(*file_, at, checksum_, contents);
  if (read.ok()) read = ParseDataBlock(contents, entries);
  if (read.ok()) return true;
  entries.clear();
  Note(at.offset, fmt::format("{} bytes from byte {} on", at.bytes, at.offset));
  return false;
}

void SoundTable::Note(std::uint64_t offset, std::string what) const {
  note_({.where = fmt::format("{}@{}", name_, offset),
         .what = fmt::format("{}: {} cannot be read", name_, what)});
}

void TableCursor::SeekAtOrAfter(Bytes key) {
  EnterForward(table_->FindBlock(key));
  while (Valid() && Bytes(entry().key) < key) Next();
}

void TableCursor::SeekAtOrBefore(Bytes key) {
  EnterBackward(std::min(table_->FindBlock(key) + 1, table_->blocks()));
  while (Valid() && Bytes(entry().key) > key) Prev();
}

void TableCursor::SeekToLast() { EnterBackward(table_->blocks()); }

void TableCursor::Next() {
  if (++at_ >= entries_.size()) EnterForward(block_ + 1);
}

void TableCursor::Prev() {
  if (at_ > 0) {
    --at_;
  } else {
    EnterBackward(block_);
  }
}

void TableCursor::EnterForward(std::size_t block) {
  at_ = 0;
  entries_.clear();
  for (block_ = block; block_ < table_->blocks(); ++block_) {
    if (table_->ReadBlock(block_, entries_) && !entries_.empty()) return;
  }
}

void TableCursor::EnterBackward(std::size_t block_end) {
  at_ = 0;
  entries_.clear();
  for (block_ = block_end; block_ > 0;) {
    --block_;
    if (!table_->ReadBlock(block_, entries_) || entries_.empty()) continue;
    at_ = entries_.size() - 1;
    return;
  }
}

}  // namespace mayfly::engine
