// kvstore_name_file.h - the small file that a store's path is, and the directory it names.
//   mayfly kvstore 1\n
//   <file name>-<16 hex digits>.mayfly\n        in the folder of the file
// Programs take the path for the database: they remove it to start afresh, move it and look at its
// size. Invariants: (1) A file appears whole and locked, after its directory holds a database; so a
// file without its directory is damage, and a directory without a file is nobody's. (2) Ids are
// fresh for each file, so a new file never finds the rows of a removed one. (3) Directories are
// never removed, since a copy of the file may name them.
#pragma once

#include <cstdint>
#include <string>

#include "base/owner_process.h"
#include "mayfly/result.h"

namespace mayfly::kvstore {

class NameFile {
 public:
  // Locks the file at `path`: alone, or with other readers. Without a file, or with an empty one,
  // directory() is empty. Busy when somebody has it; Corruption when it is not one of ours; IoError
  // as the machine says.
  static Result<NameFile> Lock(const std::string& path, bool read_only);

  NameFile(NameFile&& other) noexcept;
  NameFile& operator=(NameFile&& other) noexcept;
  ~NameFile() { Release(); }

  // The directory's path. Empty: there is none yet.
  const std::string& directory() const { return directory_; }

  // The path of a directory that does not exist.
  std::string FreshDirectory() const;

  // Makes the file, naming `directory`, which FreshDirectory() gave. Busy when somebody was faster.
  Status Publish(const std::string& directory);

 private:
  explicit NameFile(std::string path) : path_(std::move(path)) {}

  // True when it is locked and still the one at the path, false when it was exchanged meanwhile.
  Result<bool> LockOpened(bool read_only);
  Status Read();
  void Release();

  std::string path_;  // Without links in it.
  int descriptor_ = -1;
  OwnerProcess owner_;  // In another process, the descriptor is somebody else's.
  std::string directory_;
};

}  // namespace mayfly::kvstore
