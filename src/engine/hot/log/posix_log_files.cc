// Files of the operating system. Descriptors are closed by execve(); mappings are not copied by
// fork(), so that a child cannot write into its parent's log.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <system_error>

#include "base/replace_file.h"
#include "engine/hot/log/log_files.h"

namespace mayfly::engine::hot {
namespace {

Status FileFailed(const char* what, const std::string& path, int error = errno) {
  const bool is_full = error == ENOSPC || error == EDQUOT;
  return {is_full ? StatusCode::kBusy : StatusCode::kIoError,
          fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(error))};
}

class PosixLogFile final : public LogFile {
 public:
  PosixLogFile(int file, std::string path) : file_(file), path_(std::move(path)) {}

  ~PosixLogFile() override {
    if (mapping_ != nullptr) ::munmap(mapping_, mapped_bytes_);
    ::close(file_);
  }

  Status Allocate(std::uint64_t bytes) override {
    // Not posix_fallocate(): where the file system cannot, that writes, and promises nothing.
    int result = 0;
    do {
      result = ::fallocate(file_, 0, 0, static_cast<off_t>(bytes));
    } while (result != 0 && errno == EINTR);
    if (result == 0) {
      is_allocated_ = true;
      return {};
    }
    if (errno != EOPNOTSUPP && errno != ENOSYS) return FileFailed("allocate room for", path_);
    return ::ftruncate(file_, static_cast<off_t>(bytes)) == 0 ? Status()
                                                              : FileFailed("lengthen", path_);
  }

  Status Write(std::uint64_t offset, Bytes bytes) override {
    while (!bytes.empty()) {
      const ssize_t written =
          ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return FileFailed("write", path_);
      if (written == 0) return FileFailed("write", path_, EIO);
      offset += static_cast<std::uint64_t>(written);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }

  Result<std::string> Read(std::uint64_t offset, std::uint64_t bytes) override {
    std::string out(bytes, '\0');
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t got =
          ::pread(file_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return FileFailed("read", path_);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    out.resize(done);
    return out;
  }

  Result<std::uint64_t> Size() override {
    struct stat found = {};
    if (::fstat(file_, &found) != 0) return FileFailed("look at", path_);
    return static_cast<std::uint64_t>(found.st_size);
  }

  Status Truncate(std::uint64_t bytes) override {
    return ::ftruncate(file_, static_cast<off_t>(bytes)) == 0 ? Status()
                                                              : FileFailed("shorten", path_);
  }

  Status Sync() override {
    return ::fdatasync(file_) == 0 ? Status() : FileFailed("make durable", path_);
  }

  Result<char*> Map(std::uint64_t bytes) override {
    const std::lock_guard lock(mutex_);
    if (!is_allocated_) {
      return Status::Unsupported(
          fmt::format("the file system of {} cannot allocate room ahead", path_));
    }
    if (mapping_ != nullptr && mapped_bytes_ >= bytes) return mapping_;
    void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (mapped == MAP_FAILED) return FileFailed("map", path_);
    ::madvise(mapped, bytes, MADV_DONTFORK);
    if (mapping_ != nullptr) ::munmap(mapping_, mapped_bytes_);
    mapping_ = static_cast<char*>(mapped);
    mapped_bytes_ = bytes;
    return mapping_;
  }

  void Populate(std::uint64_t offset, std::uint64_t bytes) override {
#ifdef MADV_POPULATE_WRITE
    // Older kernels refuse; then each page faults when it is first written.
    if (offset < mapped_bytes_) {
      ::madvise(mapping_ + offset, std::min(bytes, mapped_bytes_ - offset), MADV_POPULATE_WRITE);
    }
#endif
  }

 private:
  const int file_;
  const std::string path_;
  bool is_allocated_ = false;
  std::mutex mutex_;  // Guards the making of the mapping, which comes before its use.
  char* mapping_ = nullptr;
  std::uint64_t mapped_bytes_ = 0;
};

class PosixLogFiles final : public LogFiles {
 public:
  PosixLogFiles(std::string directory, LogAccess access)
      : directory_(std::move(directory)), access_(access) {}

  Result<std::vector<std::string>> List() override {
    std::error_code error;
    if (access_ == LogAccess::kRead) {
      if (!std::filesystem::exists(directory_, error) && !error) return std::vector<std::string>();
    } else if (std::filesystem::create_directories(directory_, error)) {
      MAYFLY_RETURN_IF_ERROR(SyncFolderOf(directory_));
    }
    if (error) return FileFailed("make", directory_, error.value());
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator it(directory_, error), end; !error && it != end;
         it.increment(error)) {
      names.push_back(it->path().filename().string());
    }
    if (error) return FileFailed("list", directory_, error.value());
    return names;
  }

  Result<std::unique_ptr<LogFile>> Create(const std::string& name) override {
    return OpenWith(name, O_CREAT | O_EXCL, "create");
  }
  Result<std::unique_ptr<LogFile>> Open(const std::string& name) override {
    return OpenWith(name, 0, "open");
  }

  Status Remove(const std::string& name) override {
    return ::unlink(PathOf(name).c_str()) == 0 ? Status() : FileFailed("remove", PathOf(name));
  }

  Status SyncDirectory() override {
    return access_ == LogAccess::kRead ? Status() : SyncFolderOf(PathOf("x"));
  }

  std::string PathOf(const std::string& name) const override { return directory_ + "/" + name; }

 private:
  Result<std::unique_ptr<LogFile>> OpenWith(const std::string& name, int flags, const char* what) {
    const std::string path = PathOf(name);
    flags |= access_ == LogAccess::kRead ? O_RDONLY : O_RDWR;
    const int file = ::open(path.c_str(), O_CLOEXEC | flags, 0600);
    if (file < 0) return FileFailed(what, path);
    return std::unique_ptr<LogFile>(std::make_unique<PosixLogFile>(file, path));
  }

  const std::string directory_;
  const LogAccess access_;
};

}  // namespace

std::unique_ptr<LogFiles> NewLogFiles(const std::string& directory, LogAccess access) {
  return std::make_unique<PosixLogFiles>(directory, access);
}

}  // namespace mayfly::engine::hot
