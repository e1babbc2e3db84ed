#include "engine/rocks/testing/faulty_file_system.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/check.h"

namespace mayfly::engine {
namespace {

namespace fs = rocksdb;

fs::IOStatus NoPower() { return fs::IOStatus::IOError("the power is cut"); }

fs::IOStatus NoSpace() {
  fs::IOStatus status = fs::IOStatus::NoSpace("No space left on device");
  status.SetRetryable(false);
  return status;
}

// Forwards to the real file and records what was synced.
class TrackedFile final : public fs::FSWritableFileOwnerWrapper {
 public:
  TrackedFile(std::unique_ptr<fs::FSWritableFile>&& file, std::string path, FaultyFileSystem& disk)
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
  FaultyFileSystem& disk_;
  std::atomic<std::uint64_t> owned_{0};  // Bytes up to here have room, from Allocate().
};

class TrackedDirectory final : public fs::FSDirectory {
 public:
  TrackedDirectory(std::unique_ptr<fs::FSDirectory> directory, FaultyFileSystem& disk)
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
  FaultyFileSystem& disk_;
};

}  // namespace

fs::IOStatus FaultyFileSystem::NewWritableFile(const std::string& path,
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

fs::IOStatus FaultyFileSystem::ReopenWritableFile(const std::string& path,
                                                  const fs::FileOptions& options,
                                                  std::unique_ptr<fs::FSWritableFile>* file,
                                                  fs::IODebugContext* debug) {
  if (!Arrives()) return NoPower();
  fs::IOStatus status = target()->ReopenWritableFile(path, options, file, debug);
  if (!status.ok()) return status;
  *file = std::make_unique<TrackedFile>(std::move(*file), path, *this);
  return status;
}

fs::IOStatus FaultyFileSystem::ReuseWritableFile(const std::string&, const std::string&,
                                                 const fs::FileOptions&,
                                                 std::unique_ptr<fs::FSWritableFile>*,
                                                 fs::IODebugContext*) {
  return fs::IOStatus::NotSupported("recycled logs are not tracked by the faulty disk");
}

fs::IOStatus FaultyFileSystem::NewDirectory(const std::string& path, const fs::IOOptions& options,
                                            std::unique_ptr<fs::FSDirectory>* directory,
                                            fs::IODebugContext* debug) {
  std::unique_ptr<fs::FSDirectory> real;
  fs::IOStatus status = target()->NewDirectory(path, options, &real, debug);
  if (status.ok()) *directory = std::make_unique<TrackedDirectory>(std::move(real), *this);
  return status;
}

fs::IOStatus FaultyFileSystem::DeleteFile(const std::string& path, const fs::IOOptions& options,
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

fs::IOStatus FaultyFileSystem::RenameFile(const std::string& from, const std::string& to,
                                          const fs::IOOptions& options, fs::IODebugContext* debug) {
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

bool FaultyFileSystem::Arrives(const std::function<void()>& half) {
  if (!powered) return false;
  const std::uint64_t operation = ++operations;
  if (operation >= kill_at) {
    if (half) half();
    std::raise(SIGKILL);
  }
  if (operation >= cut_at) powered = false;
  return powered;
}

bool FaultyFileSystem::TakeRoom(const std::string& path, std::uint64_t bytes) {
  if (!full) return true;
  if (!TakeRoom(bytes)) return false;
  const std::lock_guard lock(mutex_);
  files_[path].taken += bytes;
  return true;
}

void FaultyFileSystem::GiveRoom(const std::string& path, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto file = files_.find(path);
  if (!full || file == files_.end()) return;
  file->second.taken -= std::min(bytes, file->second.taken);  // The rest was there before.
  room += bytes;
}

void FaultyFileSystem::Appended(const std::string& path, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  files_[path].size += bytes;
}

void FaultyFileSystem::Truncated(const std::string& path, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  Extent& extent = files_[path];
  extent.size = size;
  extent.synced = std::min(extent.synced, size);
}

std::uint64_t FaultyFileSystem::SizeOf(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto file = files_.find(path);
  return file == files_.end() ? 0 : file->second.size;  // RocksDB closes logs it has removed.
}

void FaultyFileSystem::Synced(const std::string& path, std::uint64_t size) {
  if (ignore_syncs) return;
  const std::lock_guard lock(mutex_);
  Extent& extent = files_[path];
  extent.synced = std::max(extent.synced, size);
}

void FaultyFileSystem::DirectorySynced() {
  if (ignore_syncs) return;
  const std::lock_guard lock(mutex_);
  for (const NameChange& change : unsynced_names_) {
    if (!change.displaced.empty()) std::filesystem::remove(change.displaced);
  }
  unsynced_names_.clear();
}

void FaultyFileSystem::Occupy(const std::string& path, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  std::ofstream(path) << std::string(bytes, 'o');
  occupied_[path] = bytes;
}

void FaultyFileSystem::PutAside(const std::string& path, NameChange& change, bool keep_name) {
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

void FaultyFileSystem::Undo(const NameChange& change) {
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

std::uint64_t FaultyFileSystem::DropUnsynced(Random& random) {
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

}  // namespace mayfly::engine
