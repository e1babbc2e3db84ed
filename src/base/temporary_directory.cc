#include "base/temporary_directory.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace mayfly {

TemporaryDirectory::TemporaryDirectory()
    : path_((std::filesystem::temp_directory_path() / "mayfly-XXXXXX").string()) {
  if (::mkdtemp(path_.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "cannot make " + path_);
  }
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;  // A directory left in the temporary place is no reason to fail.
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace mayfly
