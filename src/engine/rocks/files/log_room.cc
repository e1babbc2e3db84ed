#include "engine/rocks/files/log_room.h"

#include "engine/rocks/files/limits.h"
#include "engine/rocks/files/log_format.h"
#include "engine/rocks/files/rocks_directory.h"

namespace mayfly::engine {
namespace {

// RocksDB adds a header to each block of a log, and fills a block's end that is too short for one.
constexpr std::uint64_t kLogBlockOverhead = 16;

constexpr std::uint64_t InLog(std::uint64_t bytes) {
  return bytes + (bytes / kLogBlockBytes + 2) * kLogBlockOverhead;
}

constexpr std::uint64_t NeededFor(std::uint64_t size, std::uint64_t reserved) {
  return size + 2 * reserved + kLogRoomSpare;
}

}  // namespace

class LogRoom::Log final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  Log(std::unique_ptr<rocksdb::FSWritableFile> target, LogRoom& room)
      : FSWritableFileOwnerWrapper(std::move(target)), room_(room) {
    room_.Begin(*this);
  }
  ~Log() override { room_.End(*this); }

  rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    room_.size_ += bytes.size();  // Also if it fails: a part of it may have been written.
    rocksdb::IOStatus status = FSWritableFileOwnerWrapper::Append(bytes, options, debug);
    if (status.ok()) {
      written_ += bytes.size();
    } else {
      room_.newest_failed_ = true;
    }
    return status;
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& /*verification*/,
                           rocksdb::IODebugContext* debug) override {
    return Append(bytes, options, debug);
  }
  rocksdb::IOStatus Close(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override {
    room_.End(*this);
    return FSWritableFileOwnerWrapper::Close(options, debug);
  }

  bool Extend(std::uint64_t from, std::uint64_t to) {
    return !Allocate(from, to - from, {}, nullptr).IsNoSpace();
  }

  // Gives back what is owned beyond the bytes that were written. It must not be cut further on: the
  // file would grow, and zeros behind a torn record look like damage to a recovery.
  void Cut() { Truncate(written_, {}, nullptr).PermitUncheckedError(); }

 private:
  LogRoom& room_;
  std::atomic<std::uint64_t> written_{0};
};

class LogRoom::Files final : public rocksdb::FileSystemWrapper {
 public:
  Files(const std::shared_ptr<rocksdb::FileSystem>& target, LogRoom& room)
      : FileSystemWrapper(target), room_(room) {}

  const char* Name() const override { return "MayflyLogRoom"; }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->NewWritableFile(path, options, file, debug);
    const std::string name = path.substr(path.rfind('/') + 1);
    if (status.ok() && FileNamed(name).kind == FileKind::kLog) {
      *file = std::make_unique<Log>(std::move(*file), room_);
    }
    return status;
  }

 private:
  LogRoom& room_;
};

std::shared_ptr<rocksdb::FileSystem> LogRoom::GiveTo(
    const std::shared_ptr<rocksdb::FileSystem>& target) {
  return std::make_shared<Files>(target, *this);
}

LogRoom::Reservation::Reservation(LogRoom& room, std::uint64_t bytes)
    : room_(room), bytes_(InLog(bytes)) {}

std::uint64_t LogRoom::Reservation::room_needed() const { return NeededFor(0, bytes_); }

std::uint64_t LogRoom::Needed() const {
  const std::uint64_t size = size_;
  return NeededFor(size, reserved_);
}

// Without the mutex: mostly, enough is owned. A reservation is counted only if it looks covered, and
// then compared again. The size is read before what is owned. If it is that of a log that has just
// ended, then either what is owned is read from before that as well, and the next log's beginning
// covers this reservation; or too little is owned.
bool LogRoom::TakeOwned(std::uint64_t bytes) {
  std::uint64_t reserved = reserved_;
  do {
    const std::uint64_t needed = NeededFor(size_, reserved + bytes);
    if (needed > owned_) return false;
  } while (!reserved_.compare_exchange_weak(reserved, reserved + bytes));
  const std::uint64_t needed = Needed();
  if (needed <= owned_) return true;
  reserved_ -= bytes;
  return false;
}

// Until the mutex is released, no log begins, so none sees a reservation that is refused.
bool LogRoom::TakeMore(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  reserved_ += bytes;
  if (newest_ == nullptr || Extend()) return true;
  reserved_ -= bytes;
  return false;
}

bool LogRoom::Extend() {
  const std::uint64_t needed = Needed();
  return needed <= owned_ || ExtendTo(needed + kLogRoomChunk) || ExtendTo(needed);
}

bool LogRoom::ExtendTo(std::uint64_t end) {
  if (!newest_->Extend(owned_, end)) return false;
  owned_ = end;
  return true;
}

// No commit is being written meanwhile: RocksDB begins a log between two of them.
void LogRoom::Begin(Log& log) {
  const std::lock_guard lock(mutex_);
  Log* const last = std::exchange(newest_, &log);
  owned_ = 0;
  size_ = 0;
  newest_failed_ = false;
  // Less than the last log owned: blocks that describe a file need space, too.
  const std::uint64_t needed = reserved_ + kLogRoomSpare / 2;
  if (ExtendTo(needed + kLogRoomChunk) || last == nullptr) return;
  last->Cut();
  ExtendTo(needed);
}

void LogRoom::End(Log& log) {
  const std::lock_guard lock(mutex_);
  if (newest_ == &log) newest_ = nullptr;
}

}  // namespace mayfly::engine
