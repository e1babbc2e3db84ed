#include "engine/rocks/testing/faulty_disk.h"

#include <rocksdb/env.h>

#include <utility>

#include "engine/disk/disk_reserve.h"
#include "engine/rocks/testing/faulty_file_system.h"

namespace mayfly::engine {

class FaultyDisk::Space final : public DiskSpace {
 public:
  explicit Space(FaultyFileSystem& disk) : disk_(disk) {}

  std::uint64_t FreeBytes(const std::string&) override {
    return disk_.full ? disk_.room : disk_.disk_bytes;
  }
  std::uint64_t TotalBytes(const std::string&) override { return disk_.disk_bytes; }
  bool Allocate(const std::string&, std::uint64_t bytes) override {
    if (disk_.full) disk_.room += std::exchange(set_aside_, 0);
    if (disk_.full && !disk_.TakeRoom(bytes)) return false;
    set_aside_ = bytes;
    return true;
  }

 private:
  FaultyFileSystem& disk_;
  std::uint64_t set_aside_ = 0;
};

FaultyDisk::FaultyDisk()
    : file_system_(std::make_shared<FaultyFileSystem>()),
      env_(rocksdb::NewCompositeEnv(file_system_)),
      space_(std::make_unique<Space>(*file_system_)) {}

DiskSpace* FaultyDisk::space() { return space_.get(); }

FaultyDisk::~FaultyDisk() = default;

rocksdb::Env* FaultyDisk::env() { return env_.get(); }

void FaultyDisk::SetFull(bool full) {
  file_system_->room = 0;
  file_system_->full = full;
}

void FaultyDisk::SetSize(std::uint64_t bytes) {
  file_system_->disk_bytes = bytes;
  file_system_->room = bytes;
  file_system_->full = true;
}

void FaultyDisk::OccupyAllBut(std::uint64_t bytes) { file_system_->room = bytes; }

void FaultyDisk::Occupy(const std::string& path, std::uint64_t bytes) {
  file_system_->Occupy(path, bytes);
}

bool FaultyDisk::is_full() const { return file_system_->full; }

bool FaultyDisk::TakeRoom(std::uint64_t bytes) {
  return !file_system_->full || file_system_->TakeRoom(bytes);
}

void FaultyDisk::GiveRoom(std::uint64_t bytes) {
  if (file_system_->full) file_system_->room += bytes;
}

void FaultyDisk::KillProcessAt(std::uint64_t operations) {
  file_system_->kill_at = file_system_->operations + operations;
}

std::uint64_t FaultyDisk::operations() const { return file_system_->operations; }

void FaultyDisk::CutPower() { file_system_->powered = false; }

void FaultyDisk::CutPowerAt(std::uint64_t operations) {
  file_system_->cut_at = file_system_->operations + operations;
}

void FaultyDisk::IgnoreSyncs(bool ignore) { file_system_->ignore_syncs = ignore; }

std::uint64_t FaultyDisk::DropUnsynced(Random& random) {
  return file_system_->DropUnsynced(random);
}

}  // namespace mayfly::engine
