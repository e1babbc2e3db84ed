// directory_lock.h - at most one writer for a directory, among all processes and within this one.
// The lock is the kernel's, on a file in the directory: it goes with the process that held it,
// however that ended, and so is never stale. The file itself stays. A child made by fork() holds
// nothing: it gives its copy up at once, so that the parent alone decides.
#pragma once

#include <cstdint>
#include <string>

#include "base/owner_process.h"
#include "mayfly/result.h"

namespace mayfly {

class DirectoryLock {
 public:
  enum class Mode : std::uint8_t {
    kShared,     // For readers; any number of them.
    kExclusive,  // For a writer; nobody else.
  };

  // Locks `directory`, which must exist, through its file `file_name`, made if missing.
  // Busy, naming the directory, when somebody holds it in a mode that excludes this one. A reader
  // who cannot make the file, because the medium is read-only, gets a lock that holds nothing:
  // nobody can write there. IoError when the machine refuses otherwise.
  static Result<DirectoryLock> Take(const std::string& directory, const std::string& file_name,
                                    Mode mode);

  DirectoryLock() = default;  // Holds nothing.
  ~DirectoryLock() { Release(); }
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&& other) noexcept;

  void Release();

 private:
  explicit DirectoryLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
  OwnerProcess owner_;  // In another process, the descriptor is somebody else's.
};

}  // namespace mayfly
