// kvstore_name_file.h - the small file that a store's path is, and the directory it names.
//   mayfly kvstore 1\n
//   <file name>-<16 hex digits>.mayfly\n        in the folder of the file
// While another password is brought into force, with a second name:
//   mayfly kvstore 2\n
//   <as above>\n
//   <as above>\n                                the directory that the next open removes
// Programs take the path for the database: they remove it to start afresh, move it and look at its
// size. Invariants: (1) A file appears whole and locked, after its directory holds a database; so a
// file without its directory is damage, and a directory without a file is nobody's. (2) Ids are
// fresh for each file, so a new file never finds the rows of a removed one. (3) Directories are
// never removed, since a copy of the file may name them; but those under a password that was
// changed are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/owner_process.h"
#include "mayfly/result.h"

namespace mayfly::kvstore {

class NameFile {
 public:
  // Locks the file at `path`; readers lock nothing. Without a file, or with an empty one,
  // directory() is empty. Busy when somebody has it; Corruption when it is not one of ours; IoError
  // as the machine says.
  static Result<NameFile> Lock(const std::string& path, bool read_only);

  NameFile(NameFile&& other) noexcept;
  NameFile& operator=(NameFile&& other) noexcept;
  ~NameFile() { Release(); }

  // The directory's path. Empty: there is none yet.
  const std::string& directory() const { return directory_; }

  // The path of a directory that has to be removed before anything else. Empty: there is none.
  const std::string& doomed() const { return doomed_; }

  // The path of a directory that does not exist.
  std::string FreshDirectory() const;

  // Makes the file, naming `directory`, which FreshDirectory() gave. Busy when somebody was faster.
  Status Publish(const std::string& directory);

  // Names another directory, and one to be removed or none, at once and for good: a crash leaves
  // the file as it was or as it is now. It stays locked.
  Status Replace(const std::string& directory, const std::string& doomed);

  // Makes durable which file is at the path.
  Status Harden() const;

 private:
  explicit NameFile(std::string path) : path_(std::move(path)) {}

  // True when it is locked and still the one at the path, false when it was exchanged meanwhile.
  Result<bool> LockOpened(bool read_only);
  Status Read();
  bool TakeName(std::string_view& names, std::string& directory) const;
  Status NotOurs() const;
  void Release();

  std::string path_;  // Without links in it.
  int descriptor_ = -1;
  OwnerProcess owner_;  // In another process, the descriptor is somebody else's.
  std::string directory_;
  std::string doomed_;
};

}  // namespace mayfly::kvstore
