#include "engine/rocks/files/compaction_room.h"

#include "engine/rocks/files/limits.h"
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
    if (!MayAppend(bytes.size())) return rocksdb::IOStatus::NoSpace();
    return FSWritableFileOwnerWrapper::Append(bytes, options, debug);
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& verification,
                           rocksdb::IODebugContext* debug) override {
    if (!MayAppend(bytes.size())) return rocksdb::IOStatus::NoSpace();
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
  bool MayAppend(std::uint64_t bytes) {
    size_ += bytes;
    return size_ <= kTableRoomOwned || reserve_.LetsCompact(bytes, is_piece_);
  }

  const DiskReserve& reserve_;
  const bool is_piece_ = is_piece;
  std::uint64_t size_ = 0;
};

class Files final : public rocksdb::FileSystemWrapper {
 public:
  Files(const std::shared_ptr<rocksdb::FileSystem>& target, const DiskReserve& reserve)
      : FileSystemWrapper(target), reserve_(reserve) {}

  const char* Name() const override { return "MayflyCompactionRoom"; }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    const std::string name = path.substr(path.rfind('/') + 1);
    const bool is_guarded = is_compaction && FileNamed(name).kind == FileKind::kTable;
    if (is_guarded && !reserve_.LetsCompact(kTableRoomOwned, is_piece)) {
      return rocksdb::IOStatus::NoSpace();
    }
    rocksdb::IOStatus status = target()->NewWritableFile(path, options, file, debug);
    if (!status.ok() || !is_guarded) return status;
    if ((*file)->Allocate(0, kTableRoomOwned, options.io_options, debug).IsNoSpace()) {
      file->reset();
      target()->DeleteFile(path, options.io_options, debug).PermitUncheckedError();
      return rocksdb::IOStatus::NoSpace();
    }
    *file = std::make_unique<Table>(std::move(*file), reserve_);
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
