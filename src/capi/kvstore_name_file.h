// kvstore_name_file.h - the small file at a store's path, and the directory it names.
//   mayfly kvstore 1\n
//   <file name>-<16 hex digits>.mayfly\n        in the folder of the file
// While another password is brought into force, with a second name:
//   mayfly kvstore 2\n
//   <as above>\n
//   <as above>\n                                the directory that the next open removes
// Programs treat the path as the database: they remove it to start afresh, move it and check its
// size. Invariants: (1) A file appears whole and locked, after its directory holds a database; so a
// file without its directory is damage, and a directory without a file is unused. (2) Ids are fresh
// for each file, so a new file never finds the rows of a removed one. (3) Directories are never
// removed, since a copy of the file may name them, except those under a password that was changed.
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
  // directory() is empty. Busy while the file is locked; Corruption when it is no name file;
  // IoError when the system refuses.
  static Result<NameFile> Lock(const std::string& path, bool read_only);

  NameFile(NameFile&& other) noexcept;
  NameFile& operator=(NameFile&& other) noexcept;
  ~NameFile() { Release(); }

  // The directory's path. Empty: there is none yet.
  const std::string& directory() const { return directory_; }

  // The path of a directory that must be removed first. Empty: there is none.
  const std::string& doomed() const { return doomed_; }

  // The path of a directory that does not exist.
  std::string FreshDirectory() const;

  // Creates the file, naming `directory`, a result of FreshDirectory(). Busy when another process
  // created it first.
  Status Publish(const std::string& directory);

  // Replaces both names atomically and durably: a crash leaves the old names or the new ones. The
  // file stays locked. `doomed` may be empty.
  Status Replace(const std::string& directory, const std::string& doomed);

  // Makes it durable which file is at the path.
  Status Harden() const;

 private:
  explicit NameFile(std::string path) : path_(std::move(path)) {}

  // True when the file is locked and still the one at the path, false when it was replaced
  // meanwhile.
  Result<bool> LockOpened(bool read_only);
  Status Read();
  bool TakeName(std::string_view& names, std::string& directory) const;
  Status NotOurs() const;
  void Release();

  std::string path_;  // Without links in it.
  int descriptor_ = -1;
  OwnerProcess owner_;  // In another process, the number may be another file's descriptor.
  std::string directory_;
  std::string doomed_;
};

}  // namespace mayfly::kvstore
