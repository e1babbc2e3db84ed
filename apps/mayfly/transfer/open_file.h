// open_file.h - a file that is read or written, or a standard stream in its place.
#pragma once

#include <cstdio>
#include <string>

namespace mayfly::app {

// The standard stream for "-".
class OpenFile {
 public:
  OpenFile(const std::string& path, const char* mode, std::FILE* standard)
      : file_(path == "-" ? standard : std::fopen(path.c_str(), mode)), own_(path != "-") {}
  ~OpenFile() { static_cast<void>(Close()); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  std::FILE* get() const { return file_; }

  // False when something could not be written.
  bool Close() {
    if (file_ == nullptr) return true;
    bool good = std::ferror(file_) == 0 && std::fflush(file_) == 0;
    if (own_) good = std::fclose(file_) == 0 && good;
    file_ = nullptr;
    return good;
  }

 private:
  std::FILE* file_;
  const bool own_;
};

}  // namespace mayfly::app
