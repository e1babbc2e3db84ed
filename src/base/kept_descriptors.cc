#include "base/kept_descriptors.h"

#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#include <mutex>
#include <set>

namespace mayfly {
namespace {

// The descriptors of this process that a child must close right after fork(). The handler of
// pthread_atfork() has no other way to find them, hence a global.
class KeptDescriptors {
 public:
  static KeptDescriptors& Process() {
    static auto& descriptors = *new KeptDescriptors;  // Outlives locks in static objects.
    return descriptors;
  }

  // Held while a descriptor is opened or closed.
  std::mutex& mutex() { return mutex_; }
  void Add(int descriptor) { descriptors_.insert(descriptor); }
  void Remove(int descriptor) { descriptors_.erase(descriptor); }

 private:
  KeptDescriptors() { ::pthread_atfork(&BeforeFork, &InParent, &InChild); }

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

}  // namespace

int OpenKept(FunctionRef<int()> open) {
  const std::lock_guard no_fork(KeptDescriptors::Process().mutex());
  const int descriptor = open();
  if (descriptor >= 0) KeptDescriptors::Process().Add(descriptor);
  return descriptor;
}

void CloseKept(int descriptor) {
  const std::lock_guard no_fork(KeptDescriptors::Process().mutex());
  KeptDescriptors::Process().Remove(descriptor);
  // Closing alone would leave the lock to a child that has not yet closed its copy.
  ::flock(descriptor, LOCK_UN);
  ::close(descriptor);
}

}  // namespace mayfly
