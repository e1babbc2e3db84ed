// new_folder.h - a folder that a command makes, and that is removed again if the command fails.
#pragma once

#include <filesystem>
#include <string>

namespace mayfly::app {

// Made before the folder is. A folder that holds something already is left alone. Keep() must be
// called when another process may have filled it meanwhile, and when the command has succeeded.
class NewFolder {
 public:
  explicit NewFolder(const std::string& directory);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void Keep();

 private:
  std::filesystem::path made_;    // With the parent folders that were missing.
  std::filesystem::path inside_;  // Existed, and was empty.
};

}  // namespace mayfly::app
