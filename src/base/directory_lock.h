// directory_lock.h - at most one writer for a directory, among all processes and within this one.
// The lock is the kernel's, on a file in the directory: it ends with the process that held it, and
// so is never stale. The file itself stays. A child made by fork() holds nothing: it closes its
// copy at once. Readers beside a writer, which exclude no one, hold a second kernel lock on the
// same file, by which the writer detects them.
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
    kExclusive,  // For one writer.
  };

  // Locks `directory`, which must exist, through its file `file_name`, created if missing. Busy,
  // naming the directory, while it is held in a mode that excludes this one. A reader that cannot
  // create the file, because the medium is read-only, gets a lock that holds nothing: no writer can
  // exist there. IoError when the system refuses otherwise.
  static Result<DirectoryLock> Take(const std::string& directory, const std::string& file_name,
                                    Mode mode);

  // Registers a reader beside a writer, for as long as the result is held. It excludes no one and
  // always succeeds; it holds nothing where the file is missing or the system refuses.
  static DirectoryLock Beside(const std::string& directory, const std::string& file_name);

  // True while another reader, in this process or another, holds a lock of Beside(). False when
  // this lock holds nothing.
  bool HasReadersBeside() const;

  DirectoryLock() = default;  // Holds nothing.
  ~DirectoryLock() { Release(); }
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&& other) noexcept;

  void Release();

 private:
  explicit DirectoryLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
  OwnerProcess owner_;  // In another process, the number may be another file's descriptor.
};

}  // namespace mayfly
