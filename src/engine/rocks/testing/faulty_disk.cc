#include "engine/rocks/testing/faulty_disk.h"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "engine/rocks/files/disk_reserve.h"

namespace mayfly::engine {
namespace {

namespace fs = rocksdb;

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kDiskBytes = std::uint64_t{1} << 30;

fs::IOStatus NoPower() { return fs::IOStatus::IOError("the power is cut"); }

fs::IOStatus NoSpace() {
  fs::IOStatus status = fs::IOStatus::NoSpace("No space left on device");
  status.SetRetryable(false);
  return status;
}

}  // namespace

class FaultyDisk::FileSystem final : public fs::FileSystemWrapper {
 public:
  FileSystem() : fs::FileSystemWrapper(fs::FileSystem::Default()) {}

  const char* Name() const override { return "mayfly.faulty_disk"; }

  fs::IOStatus NewWritableFile(const std::string& path, const fs::FileOptions& options,
                               std::unique_ptr<fs::FSWritableFile>* file,
                               fs::IODebugContext* debug) override;
  fs::IOStatus ReopenWritableFile(const std::string& path, const fs::FileOptions& options,
                                  std::unique_ptr<fs::FSWritableFile>* file,
                                  fs::IODebugContext* debug) override;
  fs::IOStatus ReuseWritableFile(const std::string& path, const std::string& old_path,
                                 const fs::FileOptions& options,
                                 std::unique_ptr<fs::FSWritableFile>* file,
                                 fs::IODebugContext* debug) override;
  fs::IOStatus NewDirectory(const std::string& path, const fs::IOOptions& options,
                            std::unique_ptr<fs::FSDirectory>* directory,
                            fs::IODebugContext* debug) override;
  fs::IOStatus DeleteFile(const std::string& path, const fs::IOOptions& options,
                          fs::IODebugContext* debug) override;
  fs::IOStatus RenameFile(const std::string& from, const std::string& to,
                          const fs::IOOptions& options, fs::IODebugContext* debug) override;
  fs::IOStatus LinkFile(const std::string&, const std::string&, const fs::IOOptions&,
                        fs::IODebugContext*) override {
    return fs::IOStatus::NotSupported("hard links are not tracked by the faulty disk");
  }

  // Call it before a change reaches the disk: false when there is no power. If the process is to
  // die at this change, it calls `half` first, which makes half of the change.
  bool Arrives(const std::function<void()>& half = nullptr);

  void Appended(const std::string& path, std::uint64_t bytes);
  void Truncated(const std::string& path, std::uint64_t size);
  std::uint64_t SizeOf(const std::string& path);
  void Synced(const std::string& path, std::uint64_t size);
  void DirectorySynced();
  void Occupy(const std::string& path, std::uint64_t bytes);

  std::uint64_t DropUnsynced(Random& random);

  // On a full disk: true if there is room for this many bytes, which are taken then.
  bool TakeRoom(std::uint64_t bytes) {
    std::uint64_t left = room;
    while (left >= bytes && !room.compare_exchange_weak(left, left - bytes)) {
    }
    return left >= bytes;
  }
  // The same for bytes of a file, until it gives them back or is removed.
  bool TakeRoom(const std::string& path, std::uint64_t bytes);
  void GiveRoom(const std::string& path, std::uint64_t bytes);

  std::atomic<bool> full{false};
  std::atomic<std::uint64_t> room{0};  // While it is full.
  std::atomic<std::uint64_t> disk_bytes{kDiskBytes};
  std::atomic<bool> powered{true};
  std::atomic<std::uint64_t> operations{0};
  std::atomic<std::uint64_t> kill_at{kNever};
  std::atomic<std::uint64_t> cut_at{kNever};
  std::atomic<bool> ignore_syncs{false};

 private:
  struct Extent {
    std::uint64_t size = 0;
    std::uint64_t synced = 0;
    std::uint64_t taken = 0;  // Of the room of a full disk.
  };

  // A change of the directory, until the directory is synced; with what undoes it.
  struct NameChange {
    enum class Kind : std::uint8_t { kMade, kMoved, kRemoved } kind;
    std::string path;       // kMoved: the new name.
    std::string old_path;   // kMoved only.
    std::string displaced;  // Where the file that had `path` before was put aside; empty: none had.
    Extent displaced_extent;
  };

  // Puts an existing file aside instead of losing it. With `keep_name`, it keeps its name as well
  // until another file takes it: another thread may kill the process between the two, and no crash
  // leaves a rename half done. Needs mutex_.
  void PutAside(const std::string& path, NameChange& change, bool keep_name = false);
  void Undo(const NameChange& change);
  fs::IOStatus Track(const std::string& path, std::unique_ptr<fs::FSWritableFile>* file);

  std::mutex mutex_;  // Guards the rest.
  std::map<std::string, Extent> files_;
  std::vector<NameChange> unsynced_names_;
  std::map<std::string, std::uint64_t> occupied_;  // Bytes by path; see FaultyDisk::Occupy().
  std::uint64_t aside_count_ = 0;
};

// Forwards to the real file and records what was synced.
class FaultyDisk::TrackedFile final : public fs::FSWritableFileOwnerWrapper {
 public:
  TrackedFile(std::unique_ptr<fs::FSWritableFile>&& file, std::string path, FileSystem& disk)
      : fs::FSWritableFileOwnerWrapper(std::move(file)), path_(std::move(path)), disk_(disk) {}

  fs::IOStatus Append(const fs::Slice& data, const fs::IOOptions& options,
                      fs::IODebugContext* debug) override {
    const auto half = [&] {
      const fs::Slice part(data.data(), data.size() / 2);
      if (target()->Append(part, options, debug).ok()) disk_.Appended(path_, part.size());
    };
    if (!disk_.Arrives(half)) return NoPower();
    const std::uint64_t end = disk_.SizeOf(path_) + data.size();
    if (end > owned_ && !disk_.TakeRoom(path_, std::min(data.size(), end - owned_))) {
      half();
      return NoSpace();
    }
    fs::IOStatus status = target()->Append(data, options, debug);
    if (status.ok()) disk_.Appended(path_, data.size());
    return status;
  }

  fs::IOStatus Append(const fs::Slice& data, const fs::IOOptions& options,
                      const fs::DataVerificationInfo& /*verification*/,
                      fs::IODebugContext* debug) override {
    return Append(data, options, debug);
  }

  fs::IOStatus Truncate(std::uint64_t size, const fs::IOOptions& options,
                        fs::IODebugContext* debug) override {
    if (!disk_.Arrives()) return NoPower();
    fs::IOStatus status = target()->Truncate(size, options, debug);
    if (!status.ok()) return status;
    disk_.Truncated(path_, size);
    GiveBackFrom(size);
    return status;
  }

  fs::IOStatus Close(const fs::IOOptions& options, fs::IODebugContext* debug) override {
    GiveBackFrom(disk_.SizeOf(path_));
    return target()->Close(options, debug);
  }

  // Space is only recorded, too.
  fs::IOStatus Allocate(std::uint64_t offset, std::uint64_t bytes, const fs::IOOptions& /*options*/,
                        fs::IODebugContext* /*debug*/) override {
    const std::uint64_t end = offset + bytes;
    const std::uint64_t begin = std::max<std::uint64_t>(owned_, disk_.SizeOf(path_));
    if (end <= begin) return fs::IOStatus::OK();
    if (!disk_.TakeRoom(path_, end - begin)) return NoSpace();
    owned_ = end;
    return fs::IOStatus::OK();
  }

  // A sync is only recorded: the disk is simulated, and a real fsync would only take time.
  fs::IOStatus Sync(const fs::IOOptions& options, fs::IODebugContext* debug) override {
    if (!disk_.Arrives()) return NoPower();
    const std::uint64_t size = disk_.SizeOf(path_);  // Bytes appended meanwhile are not covered.
    fs::IOStatus status = target()->Flush(options, debug);
    if (status.ok()) disk_.Synced(path_, size);
    return status;
  }

  fs::IOStatus Fsync(const fs::IOOptions& options, fs::IODebugContext* debug) override {
    return Sync(options, debug);
  }

 private:
  void GiveBackFrom(std::uint64_t size) {
    if (owned_ <= size) return;
    disk_.GiveRoom(path_, owned_ - size);
    owned_ = size;
  }

  const std::string path_;
  FileSystem& disk_;
  std::atomic<std::uint64_t> owned_{0};  // Bytes up to here have room, from Allocate().
};

class FaultyDisk::TrackedDirectory final : public fs::FSDirectory {
 public:
  TrackedDirectory(std::unique_ptr<fs::FSDirectory> directory, FileSystem& disk)
      : directory_(std::move(directory)), disk_(disk) {}

  fs::IOStatus Fsync(const fs::IOOptions& /*options*/, fs::IODebugContext* /*debug*/) override {
    if (!disk_.Arrives()) return NoPower();
    disk_.DirectorySynced();
    return fs::IOStatus::OK();
  }

  fs::IOStatus Close(const fs::IOOptions& options, fs::IODebugContext* debug) override {
    return directory_->Close(options, debug);
  }

 private:
  const std::unique_ptr<fs::FSDirectory> directory_;
  FileSystem& disk_;
};

fs::IOStatus FaultyDisk::FileSystem::NewWritableFile(const std::string& path,
                                                     const fs::FileOptions& options,
                                                     std::unique_ptr<fs::FSWritableFile>* file,
                                                     fs::IODebugContext* debug) {
  if (!Arrives()) return NoPower();
  const std::lock_guard lock(mutex_);
  NameChange change{.kind = NameChange::Kind::kMade,
                    .path = path,
                    .old_path = {},
                    .displaced = {},
                    .displaced_extent = {}};
  PutAside(path, change);
  fs::IOStatus status = target()->NewWritableFile(path, options, file, debug);
  if (!status.ok()) {
    Undo(change);
    return status;
  }
  unsynced_names_.push_back(std::move(change));
  files_[path] = {};
  *file = std::make_unique<TrackedFile>(std::move(*file), path, *this);
  return status;
}

fs::IOStatus FaultyDisk::FileSystem::ReopenWritableFile(const std::string& path,
                                                        const fs::FileOptions& options,
                                                        std::unique_ptr<fs::FSWritableFile>* file,
                                                        fs::IODebugContext* debug) {
  if (!Arrives()) return NoPower();
  fs::IOStatus status = target()->ReopenWritableFile(path, options, file, debug);
  if (!status.ok()) return status;
  *file = std::make_unique<TrackedFile>(std::move(*file), path, *this);
  return status;
}

fs::IOStatus FaultyDisk::FileSystem::ReuseWritableFile(const std::string&, const std::string&,
                                                       const fs::FileOptions&,
                                                       std::unique_ptr<fs::FSWritableFile>*,
                                                       fs::IODebugContext*) {
  return fs::IOStatus::NotSupported("recycled logs are not tracked by the faulty disk");
}

fs::IOStatus FaultyDisk::FileSystem::NewDirectory(const std::string& path,
                                                  const fs::IOOptions& options,
                                                  std::unique_ptr<fs::FSDirectory>* directory,
                                                  fs::IODebugContext* debug) {
  std::unique_ptr<fs::FSDirectory> real;
  fs::IOStatus status = target()->NewDirectory(path, options, &real, debug);
  if (status.ok()) *directory = std::make_unique<TrackedDirectory>(std::move(real), *this);
  return status;
}

fs::IOStatus FaultyDisk::FileSystem::DeleteFile(const std::string& path,
                                                const fs::IOOptions& options,
                                                fs::IODebugContext* debug) {
  if (!Arrives()) return NoPower();
  const std::lock_guard lock(mutex_);
  if (const auto node = occupied_.extract(path); !node.empty() && full) room += node.mapped();
  NameChange change{.kind = NameChange::Kind::kRemoved,
                    .path = path,
                    .old_path = {},
                    .displaced = {},
                    .displaced_extent = {}};
  PutAside(path, change);
  if (change.displaced.empty()) return target()->DeleteFile(path, options, debug);
  unsynced_names_.push_back(std::move(change));
  return fs::IOStatus::OK();
}

fs::IOStatus FaultyDisk::FileSystem::RenameFile(const std::string& from, const std::string& to,
                                                const fs::IOOptions& options,
                                                fs::IODebugContext* debug) {
  if (!Arrives()) return NoPower();
  const std::lock_guard lock(mutex_);
  NameChange change{.kind = NameChange::Kind::kMoved,
                    .path = to,
                    .old_path = from,
                    .displaced = {},
                    .displaced_extent = {}};
  PutAside(to, change, /*keep_name=*/true);
  fs::IOStatus status = target()->RenameFile(from, to, options, debug);
  if (!status.ok()) {
    if (change.displaced.empty()) return status;
    std::filesystem::remove(change.displaced);
    files_[to] = change.displaced_extent;
    return status;
  }
  if (auto node = files_.extract(from); !node.empty()) {
    node.key() = to;
    files_.insert(std::move(node));
  }
  unsynced_names_.push_back(std::move(change));
  return status;
}

bool FaultyDisk::FileSystem::Arrives(const std::function<void()>& half) {
  if (!powered) return false;
  const std::uint64_t operation = ++operations;
  if (operation >= kill_at) {
    if (half) half();
    std::raise(SIGKILL);
  }
  if (operation >= cut_at) powered = false;
  return powered;
}

bool FaultyDisk::FileSystem::TakeRoom(const std::string& path, std::uint64_t bytes) {
  if (!full) return true;
  if (!TakeRoom(bytes)) return false;
  const std::lock_guard lock(mutex_);
  files_[path].taken += bytes;
  return true;
}

void FaultyDisk::FileSystem::GiveRoom(const std::string& path, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto file = files_.find(path);
  if (!full || file == files_.end()) return;
  file->second.taken -= std::min(bytes, file->second.taken);  // The rest was there before.
  room += bytes;
}

void FaultyDisk::FileSystem::Appended(const std::string& path, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  files_[path].size += bytes;
}

void FaultyDisk::FileSystem::Truncated(const std::string& path, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  Extent& extent = files_[path];
  extent.size = size;
  extent.synced = std::min(extent.synced, size);
}

std::uint64_t FaultyDisk::FileSystem::SizeOf(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto file = files_.find(path);
  return file == files_.end() ? 0 : file->second.size;  // RocksDB closes logs it has removed.
}

void FaultyDisk::FileSystem::Synced(const std::string& path, std::uint64_t size) {
  if (ignore_syncs) return;
  const std::lock_guard lock(mutex_);
  Extent& extent = files_[path];
  extent.synced = std::max(extent.synced, size);
}

void FaultyDisk::FileSystem::DirectorySynced() {
  if (ignore_syncs) return;
  const std::lock_guard lock(mutex_);
  for (const NameChange& change : unsynced_names_) {
    if (!change.displaced.empty()) std::filesystem::remove(change.displaced);
  }
  unsynced_names_.clear();
}

void FaultyDisk::FileSystem::Occupy(const std::string& path, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  std::ofstream(path) << std::string(bytes, 'o');
  occupied_[path] = bytes;
}

void FaultyDisk::FileSystem::PutAside(const std::string& path, NameChange& change, bool keep_name) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return;
  // Beside the database's directory, so that neither RocksDB nor a listing of it finds the file.
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  change.displaced = directory.string() + ".aside." + std::to_string(aside_count_++);
  if (keep_name) {
    std::filesystem::remove(change.displaced);  // A process that died may have left one.
    std::filesystem::create_hard_link(path, change.displaced);
  } else {
    std::filesystem::rename(path, change.displaced);
  }
  if (auto node = files_.extract(path); !node.empty()) {
    change.displaced_extent = node.mapped();
    if (full) room += std::exchange(change.displaced_extent.taken, 0);
  } else {
    change.displaced_extent.size = change.displaced_extent.synced =
        std::filesystem::file_size(change.displaced);
  }
}

void FaultyDisk::FileSystem::Undo(const NameChange& change) {
  std::error_code gone;
  switch (change.kind) {
    case NameChange::Kind::kMade:
      std::filesystem::remove(change.path, gone);
      files_.erase(change.path);
      break;
    case NameChange::Kind::kMoved:
      std::filesystem::rename(change.path, change.old_path);
      if (auto node = files_.extract(change.path); !node.empty()) {
        node.key() = change.old_path;
        files_.insert(std::move(node));
      }
      break;
    case NameChange::Kind::kRemoved: break;
  }
  if (change.displaced.empty()) return;
  std::filesystem::rename(change.displaced, change.path);
  files_[change.path] = change.displaced_extent;
}

std::uint64_t FaultyDisk::FileSystem::DropUnsynced(Random& random) {
  const std::lock_guard lock(mutex_);
  MAYFLY_CHECK(!powered, "DropUnsynced() follows CutPower()");
  const std::uint64_t kept = random.Between(0, unsynced_names_.size());
  while (unsynced_names_.size() > kept) {
    Undo(unsynced_names_.back());
    unsynced_names_.pop_back();
  }
  for (const NameChange& change : unsynced_names_) {
    if (!change.displaced.empty()) std::filesystem::remove(change.displaced);
  }
  unsynced_names_.clear();

  std::uint64_t lost = 0;
  for (auto& [path, extent] : files_) {
    const std::uint64_t left = random.Between(extent.synced, extent.size);
    lost += extent.size - left;
    std::filesystem::resize_file(path, left);
    extent = {.size = left, .synced = left};
  }
  cut_at = kNever;
  powered = true;
  return lost;
}

class FaultyDisk::Space final : public DiskSpace {
 public:
  explicit Space(FileSystem& disk) : disk_(disk) {}

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
  FileSystem& disk_;
  std::uint64_t set_aside_ = 0;
};

FaultyDisk::FaultyDisk()
    : file_system_(std::make_shared<FileSystem>()),
      env_(fs::NewCompositeEnv(file_system_)),
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
