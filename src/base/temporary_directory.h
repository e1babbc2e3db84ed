// temporary_directory.h - a directory that is removed with the object.
#pragma once

#include <string>

namespace mayfly {

class TemporaryDirectory {
 public:
  // Creates a directory with a unique name in the system's place for temporary files. Throws
  // std::system_error when that fails.
  TemporaryDirectory();

  // Removes the directory with its contents.
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

  // A path inside, which need not exist.
  std::string Inside(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace mayfly
