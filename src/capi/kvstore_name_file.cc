#include "capi/kvstore_name_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/kept_descriptors.h"
#include "base/replace_file.h"
#include "capi/limits.h"

namespace mayfly::kvstore {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "mayfly kvstore 1\n";
constexpr std::string_view kDoomedFirstLine = "mayfly kvstore 2\n";
constexpr std::string_view kEnding = ".mayfly";

Status Refused(const char* what, const std::string& path) {
  return Status::IoError(
      fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(errno)));
}

// 64 random bits from the system: unique among all files.
std::string FreshId() {
  std::random_device source;
  return fmt::format("{:08x}{:08x}", source(), source());
}

// A temporary file with the given text and a unique name, synced and locked.
class Draft {
 public:
  ~Draft() {
    if (descriptor_ >= 0) CloseKept(descriptor_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Draft() = default;
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  Status Write(const std::string& path, std::string_view text) {
    descriptor_ =
        OpenKept([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644); });
    if (descriptor_ < 0) return Refused("make", path);
    path_ = path;
    if (::write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        ::fsync(descriptor_) != 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      return Refused("write", path);
    }
    return {};
  }

  const char* path() const { return path_.c_str(); }
  int Take() { return std::exchange(descriptor_, -1); }

 private:
  std::string path_;
  int descriptor_ = -1;
};

void SyncFolder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);  // Best effort: the file itself is synced.
  ::close(descriptor);
}

}  // namespace

NameFile::NameFile(NameFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      owner_(other.owner_),
      directory_(std::move(other.directory_)),
      doomed_(std::move(other.doomed_)) {}

NameFile& NameFile::operator=(NameFile&& other) noexcept {
  if (this != &other) {
    Release();
    path_ = std::move(other.path_);
    descriptor_ = std::exchange(other.descriptor_, -1);
    owner_ = other.owner_;
    directory_ = std::move(other.directory_);
    doomed_ = std::move(other.doomed_);
  }
  return *this;
}

void NameFile::Release() {
  if (descriptor_ >= 0 && owner_.IsThis()) CloseKept(descriptor_);
  descriptor_ = -1;
}

Result<NameFile> NameFile::Lock(const std::string& path, bool read_only) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(path), error);
  if (error || !fs::is_directory(real.parent_path(), error)) {
    return Status::IoError(fmt::format("{} lies in no folder that exists; make it first", path));
  }
  if (fs::is_directory(real, error)) {
    return Status::Invalid(fmt::format("{} is a folder; a store is a file", path));
  }
  NameFile file(real.string());
  for (int attempt = 0; attempt < kOpenAttemptsMax; ++attempt) {
    file.descriptor_ = OpenKept(
        [&] { return ::open(file.path_.c_str(), (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC); });
    if (file.descriptor_ < 0) {
      if (errno == ENOENT) return file;
      return Refused("open", path);
    }
    MAYFLY_TRY(const bool locked, file.LockOpened(read_only));
    if (locked) {
      MAYFLY_RETURN_IF_ERROR(file.Read());
      return file;
    }
    file.Release();
  }
  return Status::Busy(fmt::format("{} is being removed and made again; try again", path));
}

Result<bool> NameFile::LockOpened(bool read_only) {
  if (!read_only && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Refused("lock", path_);
    return Status::Busy(fmt::format(
        "{} is open elsewhere, in this process or another; close it there first", path_));
  }
  struct stat here {};
  struct stat there {};
  if (::fstat(descriptor_, &here) != 0) return Refused("look at", path_);
  return ::stat(path_.c_str(), &there) == 0 && here.st_ino == there.st_ino &&
         here.st_dev == there.st_dev;
}

Status NameFile::Read() {
  std::string text(kNameFileBytesMax, '\0');
  const ssize_t size = ::pread(descriptor_, text.data(), text.size(), 0);
  if (size < 0) return Refused("read", path_);
  text.resize(static_cast<std::size_t>(size));
  if (text.empty()) return {};
  std::string_view names = text;
  const bool dooms = names.starts_with(kDoomedFirstLine);
  if (!dooms && !names.starts_with(kFirstLine)) return NotOurs();
  names.remove_prefix(kFirstLine.size());
  std::string directory;
  std::string doomed;
  if (!TakeName(names, directory) || (dooms && !TakeName(names, doomed)) || !names.empty() ||
      directory == doomed) {
    return NotOurs();
  }
  directory_ = std::move(directory);
  doomed_ = std::move(doomed);
  return {};
}

bool NameFile::TakeName(std::string_view& names, std::string& directory) const {
  const std::size_t end = names.find('\n');
  if (end == std::string_view::npos) return false;
  const std::string_view name = names.substr(0, end);
  names.remove_prefix(end + 1);
  if (name.size() <= kEnding.size() || !name.ends_with(kEnding)) return false;
  if (name.find('/') != std::string_view::npos) return false;
  directory = (fs::path(path_).parent_path() / name).string();
  return true;
}

Status NameFile::NotOurs() const {
  return Status::Corruption(fmt::format(
      "{} is not a store of mayfly and was not touched; remove it to start afresh", path_));
}

std::string NameFile::FreshDirectory() const {
  return fmt::format("{}-{}{}", path_, FreshId(), kEnding);
}

Status NameFile::Publish(const std::string& directory) {
  Draft draft;
  const std::string text =
      fmt::format("{}{}\n", kFirstLine, fs::path(directory).filename().string());
  MAYFLY_RETURN_IF_ERROR(draft.Write(directory + ".draft", text));
  if (descriptor_ >= 0) {
    // An empty file exists and is locked by us: the draft replaces it.
    if (::rename(draft.path(), path_.c_str()) != 0) return Refused("replace", path_);
  } else if (::link(draft.path(), path_.c_str()) != 0) {
    if (errno == EEXIST) return Status::Busy(fmt::format("{} was made by another process", path_));
    return Refused("make", path_);
  }
  Release();
  descriptor_ = draft.Take();
  directory_ = directory;
  SyncFolder(fs::path(path_).parent_path());
  return {};
}

Status NameFile::Replace(const std::string& directory, const std::string& doomed) {
  std::string text = fmt::format("{}{}\n", doomed.empty() ? kFirstLine : kDoomedFirstLine,
                                 fs::path(directory).filename().string());
  if (!doomed.empty()) text += fs::path(doomed).filename().string() + "\n";
  Draft draft;
  MAYFLY_RETURN_IF_ERROR(draft.Write(FreshDirectory() + ".draft", text));
  if (::rename(draft.path(), path_.c_str()) != 0) return Refused("replace", path_);
  Release();
  descriptor_ = draft.Take();
  directory_ = directory;
  doomed_ = doomed;
  return Harden();
}

Status NameFile::Harden() const { return SyncFolderOf(path_); }

}  // namespace mayfly::kvstore
