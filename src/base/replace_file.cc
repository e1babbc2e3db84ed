#include "base/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace mayfly {
namespace {

Status Failed(const char* what, const std::string& path) {
  return Status::IoError(
      fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(errno)));
}

std::string DirectoryOf(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// mkstemp() creates files that only their owner may read; the new file gets the mode of the old
// one.
Status KeepMode(int file, const std::string& path) {
  struct stat old = {};
  if (::stat(path.c_str(), &old) != 0) return errno == ENOENT ? Status() : Failed("look at", path);
  return ::fchmod(file, old.st_mode & 07777) == 0 ? Status() : Failed("set the mode of", path);
}

Status Fill(int file, Bytes contents, const std::string& path) {
  MAYFLY_RETURN_IF_ERROR(KeepMode(file, path));
  MAYFLY_RETURN_IF_ERROR(WriteAll(file, contents, path));
  return ::fsync(file) == 0 ? Status() : Failed("make durable", path);
}

}  // namespace

Status WriteAll(int file, Bytes contents, const std::string& path) {
  while (!contents.empty()) {
    const ssize_t written = ::write(file, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed("write", path);
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status SyncFolderOf(const std::string& path) {
  const std::string directory = DirectoryOf(path);
  const int opened = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return Failed("open", directory);
  const Status synced = ::fsync(opened) == 0 ? Status() : Failed("make durable", directory);
  ::close(opened);
  return synced;
}

Status ReplaceFile(const std::string& path, Bytes contents) {
  std::string fresh = path + ".XXXXXX";
  const int file = ::mkostemp(fresh.data(), O_CLOEXEC);
  if (file < 0) return Failed("make a file beside", path);
  Status status = Fill(file, contents, path);
  if (::close(file) != 0 && status.ok()) status = Failed("close", fresh);
  if (status.ok() && std::rename(fresh.c_str(), path.c_str()) != 0) {
    status = Failed("replace", path);
  }
  if (!status.ok()) {
    ::unlink(fresh.c_str());
    return status;
  }
  return SyncFolderOf(path);
}

}  // namespace mayfly
