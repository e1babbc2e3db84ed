#include "base/directory_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/kept_descriptors.h"

namespace mayfly {
namespace {

int OpenLockFile(const std::string& path, bool shared) {
  // A reader needs no write permission where the file exists already.
  const int descriptor = shared ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor >= 0) return descriptor;
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
}

struct flock WholeFile(short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

Result<DirectoryLock> DirectoryLock::Take(const std::string& directory,
                                          const std::string& file_name, Mode mode) {
  const std::string path = directory + "/" + file_name;
  const bool shared = mode == Mode::kShared;
  const auto refused = [&](const char* what) {
    return Status::IoError(fmt::format("cannot {} the lock file of {}: {}", what, directory,
                                       std::generic_category().message(errno)));
  };

  const int descriptor = OpenKept([&] { return OpenLockFile(path, shared); });
  if (descriptor < 0) {
    if (shared && (errno == EROFS || errno == EACCES)) return DirectoryLock();
    return refused("open");
  }
  DirectoryLock lock(descriptor);

  // flock() belongs to the open file, not to the process, so a second opener in this process is
  // refused like any other.
  int outcome = 0;
  do {
    outcome = ::flock(descriptor, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB);
  } while (outcome != 0 && errno == EINTR);
  if (outcome == 0) return lock;
  if (errno != EWOULDBLOCK) return refused("take");
  return Status::Busy(
      shared ? fmt::format("{} is open for writing elsewhere; close it there, or ask that process",
                           directory)
             : fmt::format("{} is open elsewhere, in this process or another; close it there first",
                           directory));
}

// An fcntl() lock of the open file. It and flock() do not see each other.
DirectoryLock DirectoryLock::Beside(const std::string& directory, const std::string& file_name) {
  const std::string path = directory + "/" + file_name;
  const int descriptor = OpenKept([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (descriptor < 0) return {};
  DirectoryLock lock(descriptor);
  struct flock mark = WholeFile(F_RDLCK);
  return ::fcntl(descriptor, F_OFD_SETLK, &mark) == 0 ? std::move(lock) : DirectoryLock();
}

bool DirectoryLock::HasReadersBeside() const {
  if (descriptor_ < 0 || !owner_.IsThis()) return false;
  struct flock in_the_way = WholeFile(F_WRLCK);
  return ::fcntl(descriptor_, F_OFD_GETLK, &in_the_way) == 0 && in_the_way.l_type != F_UNLCK;
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), owner_(other.owner_) {}

DirectoryLock& DirectoryLock::operator=(DirectoryLock&& other) noexcept {
  if (this != &other) {
    Release();
    descriptor_ = std::exchange(other.descriptor_, -1);
    owner_ = other.owner_;
  }
  return *this;
}

void DirectoryLock::Release() {
  if (descriptor_ >= 0 && owner_.IsThis()) CloseKept(descriptor_);
  descriptor_ = -1;
}

}  // namespace mayfly
