#include "engine/rocks/files/compaction_room.h"

#include "engine/rocks/files/rocks_directory.h"

namespace mayfly::engine {
namespace {

thread_local bool is_compaction = false;
thread_local bool is_piece = false;

class Table final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  Table(std::unique_ptr<rocksdb::FSWritableFile> target, const DiskReserve& reserve)
      : FSWritableFileOwnerWrapper(std::move(target)), reserve_(reserve) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    if (!reserve_.LetsCompact(bytes.size(), is_piece_)) return rocksdb::IOStatus::NoSpace();
    return FSWritableFileOwnerWrapper::Append(bytes, options, debug);
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& verification,
                           rocksdb::IODebugContext* debug) override {
    if (!reserve_.LetsCompact(bytes.size(), is_piece_)) return rocksdb::IOStatus::NoSpace();
    return FSWritableFileOwnerWrapper::Append(bytes, options, verification, debug);
  }
  // RocksDB ignores it when this fails, and appends without.
  rocksdb::IOStatus Allocate(std::uint64_t offset, std::uint64_t length,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
    if (!reserve_.LetsCompact(length, is_piece_)) return rocksdb::IOStatus::NoSpace();
    return FSWritableFileOwnerWrapper::Allocate(offset, length, options, debug);
  }

 private:
  const DiskReserve& reserve_;
  const bool is_piece_ = is_piece;
};

class Files final : public rocksdb::FileSystemWrapper {
 public:
  Files(const std::shared_ptr<rocksdb::FileSystem>& target, const DiskReserve& reserve)
      : FileSystemWrapper(target), reserve_(reserve) {}

  const char* Name() const override { return "MayflyCompactionRoom"; }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->NewWritableFile(path, options, file, debug);
    const std::string name = path.substr(path.rfind('/') + 1);
    if (status.ok() && is_compaction && FileNamed(name).kind == FileKind::kTable) {
      *file = std::make_unique<Table>(std::move(*file), reserve_);
    }
    return status;
  }

 private:
  const DiskReserve& reserve_;
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> LeaveRoomForDeletes(
    const std::shared_ptr<rocksdb::FileSystem>& target, const DiskReserve& reserve) {
  return std::make_shared<Files>(target, reserve);
}

PieceOnThisThread::PieceOnThisThread() { is_piece = true; }
PieceOnThisThread::~PieceOnThisThread() { is_piece = false; }

void TableBegins(bool by_compaction) { is_compaction = by_compaction; }

}  // namespace mayfly::engine
