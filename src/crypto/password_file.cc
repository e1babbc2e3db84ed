#include "crypto/password_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "crypto/database_key.h"

namespace mayfly::crypto {
namespace {

Status Refused(const std::string& path, int error) {
  std::string said = fmt::format("cannot read the password in {}: {}", path,
                                 std::generic_category().message(error));
  return error == ENOENT ? Status::NotFound(std::move(said)) : Status::IoError(std::move(said));
}

}  // namespace

Result<Secret> ReadPasswordFile(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Refused(path, errno);
  // Without a stream, whose buffer would keep a copy. A pipe gives it piece by piece.
  Secret read(kPasswordBytesMax + 3);
  std::size_t size = 0;
  ssize_t got = 0;
  do {
    got = ::read(file, read.data() + size, read.size() - size);
    if (got > 0) size += static_cast<std::size_t>(got);
  } while ((got > 0 && size < read.size()) || (got < 0 && errno == EINTR));
  const int error = errno;
  ::close(file);
  if (got < 0) return Refused(path, error);
  Bytes password = read.view().substr(0, size);
  if (password.ends_with('\n')) password.remove_suffix(1);
  if (password.ends_with('\r')) password.remove_suffix(1);
  if (!password.empty() && password.size() <= kPasswordBytesMax) return Secret(password);
  return Status::Invalid(fmt::format("{} holds no password; it has 1 to {} bytes and a line end",
                                     path, kPasswordBytesMax));
}

}  // namespace mayfly::crypto
