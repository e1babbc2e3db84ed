#include "engine/disk/disk_reserve.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "base/log.h"
#include "engine/disk/limits.h"

namespace mayfly::engine {
namespace {

class SystemDiskSpace final : public DiskSpace {
 public:
  std::uint64_t FreeBytes(const std::string& directory) override {
    struct statvfs about {};
    if (statvfs(directory.c_str(), &about) != 0) return 0;
    return std::uint64_t{about.f_bavail} * about.f_frsize;
  }

  std::uint64_t TotalBytes(const std::string& directory) override {
    struct statvfs about {};
    if (statvfs(directory.c_str(), &about) != 0) return 0;
    return std::uint64_t{about.f_blocks} * about.f_frsize;
  }

  bool Allocate(const std::string& path, std::uint64_t bytes) override {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return false;
    // Not posix_fallocate(), which writes zeros where a file system cannot do it by itself.
    bool done = ftruncate(file, 0) == 0;
    if (done && bytes > 0) {
      done = fallocate(file, 0, 0, static_cast<off_t>(bytes)) == 0;
      if (!done && ftruncate(file, 0) != 0) done = false;
    }
    close(file);
    return done;
  }
};

}  // namespace

DiskSpace& DiskSpace::System() {
  static SystemDiskSpace system;
  return system;
}

DiskReserve::DiskReserve(DiskSpace& space, std::string directory, std::uint64_t bytes,
                         const Clock& clock, Logger& logger)
    : space_(space),
      directory_(std::move(directory)),
      path_(directory_ + "/" + kReserveFileName),
      bytes_(bytes),
      clock_(clock),
      logger_(logger) {}

std::uint64_t DiskReserve::BytesOn(DiskSpace& space, const std::string& directory,
                                   std::uint64_t bytes) {
  return std::min(bytes, space.TotalBytes(directory) / kReserveShareOfDisk);
}

void DiskReserve::BeforeOpen(std::uint64_t needed_bytes) {
  if (bytes_ == 0) {
    unlink(path_.c_str());  // Left by an earlier open with a reserve.
    return;
  }
  bytes_ = BytesOn(space_, directory_, bytes_);
  if (space_.FreeBytes(directory_) < std::max(bytes_, needed_bytes)) space_.Allocate(path_, 0);
}

void DiskReserve::AfterOpen() {
  if (bytes_ == 0) return;
  given_up_ = true;
  space_.Allocate(path_, 0);  // What an earlier open kept counts as free.
  if (!KeepAgain()) BeginFull();
}

bool DiskReserve::GiveUp(std::uint64_t needed_bytes) {
  BeginFull();
  const std::lock_guard lock(mutex_);
  if (bytes_ == 0) {
    // More than there is: as much as was needed may be free, and yet be too little.
    needed_bytes_ = std::max({kRoomWithoutReserve, needed_bytes, space_.FreeBytes(directory_) + 1});
    return false;
  }
  if (!given_up_.exchange(true)) space_.Allocate(path_, 0);
  return true;
}

std::uint64_t DiskReserve::LeftByCompactions() const {
  return std::max(
      {bytes_ / kReserveLeftByCompactions, kRoomWithoutReserve, left_by_compactions_.load()});
}

std::uint64_t DiskReserve::LeftByRowDeletes() const {
  return kRangeDeleteMargin + kRowDeleteMargin + bytes_ / kReserveLeftByRowDeletes;
}

bool DiskReserve::IsFull() {
  if (!full_.load(std::memory_order_relaxed)) return false;
  if (bytes_ > 0) return !MayGrow();
  const std::lock_guard lock(mutex_);
  if (IsTimeToLook() && space_.FreeBytes(directory_) >= needed_bytes_) EndFull();
  return full_;
}

bool DiskReserve::IsTimeToLook() {
  const SteadyTime now = clock_.Steady();
  if (looked_at_ && now - *looked_at_ < kReserveLookPause) return false;
  looked_at_ = now;
  return true;
}

bool DiskReserve::KeepAgain() {
  const std::lock_guard lock(mutex_);
  if (!given_up_) return true;
  if (!IsTimeToLook()) return false;
  // With room to spare, or the next commit would give it up again.
  if (space_.FreeBytes(directory_) < bytes_ + bytes_ / kReserveRoomToSpare) return false;
  if (!space_.Allocate(path_, bytes_)) return false;
  given_up_ = false;
  Log(logger_, LogLevel::kInfo, "{} bytes of the disk of {} are set aside for a full disk", bytes_,
      directory_);
  EndFull();
  return true;
}

void DiskReserve::BeginFull() {
  if (full_.exchange(true)) return;
  Log(logger_, LogLevel::kError,
      "the disk of {} is full: writes that add bytes are refused until there is room{}", directory_,
      bytes_ == 0 ? std::string()
                  : fmt::format("; {} bytes that were set aside for this go to deletes and purges",
                                bytes_));
}

void DiskReserve::EndFull() {
  if (!full_.exchange(false)) return;
  Log(logger_, LogLevel::kWarning, "the disk of {} has room again: writes go on", directory_);
}

}  // namespace mayfly::engine
