// temporary_directory.h - a directory that goes away with the object.
#pragma once

#include <string>

namespace mayfly {

class TemporaryDirectory {
 public:
  // Made under the system's place for temporary files, under a name nobody else has. Throws
  // std::system_error when that fails: there is nothing sensible to do without it.
  TemporaryDirectory();

  // Removes it with all that is in it.
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
