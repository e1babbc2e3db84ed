#include "apps/mayfly/target/new_folder.h"

namespace mayfly::app {

namespace fs = std::filesystem;

NewFolder::NewFolder(const std::string& directory) {
  std::error_code error;
  const fs::path path = fs::absolute(directory, error);
  if (fs::exists(path, error)) {
    if (fs::is_directory(path, error) && fs::is_empty(path, error)) inside_ = path;
    return;
  }
  made_ = path.has_filename() ? path : path.parent_path();
  while (!fs::exists(made_.parent_path(), error) && made_.has_relative_path()) {
    made_ = made_.parent_path();
  }
}

NewFolder::~NewFolder() {
  std::error_code error;
  if (!made_.empty()) fs::remove_all(made_, error);
  if (inside_.empty()) return;
  for (const auto& entry : fs::directory_iterator(inside_, error)) {
    fs::remove_all(entry.path(), error);
  }
}

void NewFolder::Keep() {
  made_.clear();
  inside_.clear();
}

}  // namespace mayfly::app
