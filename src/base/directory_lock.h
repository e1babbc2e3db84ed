// directory_lock.h - at most one writer for a directory, among all processes and within this one.
// The lock is the kernel's, on a file in the directory: it goes with the process that held it,
// however that ended, and so is never stale. The file itself stays. A child made by fork() holds
// nothing: it gives its copy up at once, so that the parent alone decides. Readers that exclude
// nobody leave a mark on the same file, a second lock of the kernel, by which others know of them.
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

  // Marks a reader that excludes nobody and is excluded by nobody, for as long as this is held.
  // Holds nothing where there is no such file, or the machine refuses.
  static DirectoryLock Beside(const std::string& directory, const std::string& file_name);

  // Whether somebody else holds what Beside() gave, in this process or another. False when this
  // holds nothing.
  bool HasReadersBeside() const;

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
