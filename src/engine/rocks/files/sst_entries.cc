#include "engine/rocks/files/sst_entries.h"

#include <string>

#include "engine/rocks/files/sst_format.h"

namespace mayfly::engine {
namespace {

class Walk {
 public:
  Walk(const rocksdb::RandomAccessFile& file, FunctionRef<bool(const SstEntry&)> take)
      : file_(file), take_(take) {}

  Status Run(std::uint64_t file_bytes) {
    MAYFLY_TRY(const SstFooter footer, ReadSstFooter(file_, file_bytes));
    checksum_ = footer.checksum;
    std::string metaindex;
    MAYFLY_RETURN_IF_ERROR(ReadSstBlock(file_, footer.metaindex, checksum_, metaindex));
    MAYFLY_RETURN_IF_ERROR(ForEachPair(metaindex, [this](Bytes name, Bytes value) -> Status {
      if (name != kRangeTombstonesBlock) return {};
      BlockHandle block;
      if (!EatBlockHandle(value, block)) return Status::Corruption("a damaged metaindex");
      return WalkEntries(block, /*ranges=*/true);
    }));
    std::string index;
    MAYFLY_RETURN_IF_ERROR(ReadSstBlock(file_, footer.index, checksum_, index));
    return ForEachIndexEntry(index, [this](Bytes key, const BlockHandle& block) -> Status {
      Show({.kind = SstEntry::Kind::kIndexKey, .key = key, .value = {}});
      return WalkEntries(block, /*ranges=*/false);
    });
  }

 private:
  Status WalkEntries(const BlockHandle& handle, bool ranges) {
    if (stopped_) return {};
    std::string block;
    MAYFLY_RETURN_IF_ERROR(ReadSstBlock(file_, handle, checksum_, block));
    return ForEachPair(block, [this, ranges](Bytes key, Bytes value) -> Status {
      InternalKey parsed;
      if (!ParseInternalKey(key, parsed)) return Status::Corruption("a damaged key");
      const bool deletion = parsed.type == kTypeDeletion || parsed.type == kTypeSingleDeletion;
      Show({.kind = ranges     ? SstEntry::Kind::kRangeTombstone
                    : deletion ? SstEntry::Kind::kTombstone
                               : SstEntry::Kind::kValue,
            .key = parsed.user_key,
            .value = value});
      return {};
    });
  }

  void Show(const SstEntry& entry) {
    if (!stopped_) stopped_ = !take_(entry);
  }

  const rocksdb::RandomAccessFile& file_;
  const FunctionRef<bool(const SstEntry&)> take_;
  char checksum_ = kBlockChecksum;
  bool stopped_ = false;
};

}  // namespace

Status ForEachSstEntry(const rocksdb::RandomAccessFile& file, std::uint64_t file_bytes,
                       FunctionRef<bool(const SstEntry&)> take) {
  return Walk(file, take).Run(file_bytes);
}

}  // namespace mayfly::engine
