#include "base/directory_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

namespace mayfly {
namespace {

// The descriptors of all locks in this process, for the one moment in which a child must close its
// copies. fork() leaves no other way to find them, hence a global.
class LockDescriptors {
 public:
  static LockDescriptors& Process() {
    static auto& descriptors = *new LockDescriptors;  // Outlives locks in static objects.
    return descriptors;
  }

  // Held while a descriptor is opened or closed: a fork in between would copy it unseen.
  std::mutex& mutex() { return mutex_; }
  void Add(int descriptor) { descriptors_.insert(descriptor); }
  void Remove(int descriptor) { descriptors_.erase(descriptor); }

 private:
  LockDescriptors() { ::pthread_atfork(&BeforeFork, &InParent, &InChild); }

  static void BeforeFork() { Process().mutex_.lock(); }
  static void InParent() { Process().mutex_.unlock(); }
  static void InChild() {
    for (const int descriptor : Process().descriptors_) ::close(descriptor);
    Process().descriptors_.clear();
    Process().mutex_.unlock();
  }

  std::mutex mutex_;
  std::set<int> descriptors_;  // Guarded by mutex_.
};

int OpenLockFile(const std::string& path, bool shared) {
  // A reader needs no right to write where the file is already there.
  const int descriptor = shared ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor >= 0) return descriptor;
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
}

}  // namespace

DirectoryLock::DirectoryLock(int descriptor) : descriptor_(descriptor), process_(::getpid()) {
  LockDescriptors::Process().Add(descriptor);
}

Result<DirectoryLock> DirectoryLock::Take(const std::string& directory,
                                          const std::string& file_name, Mode mode) {
  const std::string path = directory + "/" + file_name;
  const bool shared = mode == Mode::kShared;
  const auto refused = [&](const char* what) {
    return Status::IoError(fmt::format("cannot {} the lock file of {}: {}", what, directory,
                                       std::generic_category().message(errno)));
  };

  std::unique_lock no_fork(LockDescriptors::Process().mutex());
  const int descriptor = OpenLockFile(path, shared);
  if (descriptor < 0) {
    if (shared && (errno == EROFS || errno == EACCES)) return DirectoryLock();
    return refused("open");
  }
  DirectoryLock lock(descriptor);
  no_fork.unlock();

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

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), process_(other.process_) {}

DirectoryLock& DirectoryLock::operator=(DirectoryLock&& other) noexcept {
  if (this != &other) {
    Release();
    descriptor_ = std::exchange(other.descriptor_, -1);
    process_ = other.process_;
  }
  return *this;
}

void DirectoryLock::Release() {
  if (descriptor_ >= 0 && process_ == ::getpid()) {
    const std::lock_guard no_fork(LockDescriptors::Process().mutex());
    LockDescriptors::Process().Remove(descriptor_);
    ::close(descriptor_);
  }
  descriptor_ = -1;
}

}  // namespace mayfly
