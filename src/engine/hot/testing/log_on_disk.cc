#include "engine/hot/testing/log_on_disk.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mayfly::engine::hot {
namespace {

class SizedFile final : public LogFile {
 public:
  SizedFile(LogOnDisk& disk, std::string path, std::unique_ptr<LogFile> file)
      : disk_(disk), path_(std::move(path)), file_(std::move(file)) {}

  Status Allocate(std::uint64_t bytes) override {
    MAYFLY_TRY(const std::uint64_t size, file_->Size());
    const std::uint64_t more = bytes - std::min(bytes, size);
    if (!disk_.Take(path_, more)) {
      return Status::Busy("cannot allocate room for " + path_ + ": no space left on device");
    }
    return file_->Allocate(bytes);
  }
  Status Write(std::uint64_t offset, Bytes bytes) override { return file_->Write(offset, bytes); }
  Result<std::string> Read(std::uint64_t offset, std::uint64_t bytes) override {
    return file_->Read(offset, bytes);
  }
  Result<std::uint64_t> Size() override { return file_->Size(); }
  Status Truncate(std::uint64_t bytes) override {
    MAYFLY_TRY(const std::uint64_t size, file_->Size());
    if (bytes < size) disk_.Give(path_, size - bytes);
    return file_->Truncate(bytes);
  }
  // The disk is simulated: a real sync would only take time.
  Status Sync() override { return {}; }
  Result<char*> Map(std::uint64_t bytes) override { return file_->Map(bytes); }
  void Populate(std::uint64_t offset, std::uint64_t bytes) override {
    file_->Populate(offset, bytes);
  }

 private:
  LogOnDisk& disk_;
  const std::string path_;
  const std::unique_ptr<LogFile> file_;
};

class SizedFiles final : public LogFiles {
 public:
  SizedFiles(LogOnDisk& disk, const std::string& directory)
      : disk_(disk), files_(NewLogFiles(directory)) {}

  Result<std::vector<std::string>> List() override { return files_->List(); }
  Result<std::unique_ptr<LogFile>> Create(const std::string& name) override {
    return Sized(name, files_->Create(name));
  }
  Result<std::unique_ptr<LogFile>> Open(const std::string& name) override {
    return Sized(name, files_->Open(name));
  }
  Status Remove(const std::string& name) override {
    MAYFLY_RETURN_IF_ERROR(files_->Remove(name));
    disk_.Give(PathOf(name), std::numeric_limits<std::uint64_t>::max());
    return {};
  }
  Status SyncDirectory() override { return {}; }
  std::string PathOf(const std::string& name) const override { return files_->PathOf(name); }

 private:
  Result<std::unique_ptr<LogFile>> Sized(const std::string& name,
                                         Result<std::unique_ptr<LogFile>> file) {
    if (!file.has_value()) return file;
    return std::unique_ptr<LogFile>(
        std::make_unique<SizedFile>(disk_, PathOf(name), *std::move(file)));
  }

  LogOnDisk& disk_;
  const std::unique_ptr<LogFiles> files_;
};

}  // namespace

std::unique_ptr<LogFiles> LogOnDisk::Files(const std::string& directory) {
  return std::make_unique<SizedFiles>(*this, directory);
}

bool LogOnDisk::Take(const std::string& path, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!disk_.TakeRoom(bytes)) return false;
  if (disk_.is_full()) taken_[path] += bytes;
  return true;
}

void LogOnDisk::Give(const std::string& path, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto file = taken_.find(path);
  if (file == taken_.end()) return;
  const std::uint64_t given = std::min(bytes, file->second);
  file->second -= given;
  if (file->second == 0) taken_.erase(file);
  disk_.GiveRoom(given);
}

}  // namespace mayfly::engine::hot
