#include "apps/mayfly/serve/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

namespace mayfly::app {
namespace {

constexpr const char* kSocketName = "NOTIFY_SOCKET";

Status SystemError(std::string_view what) {
  return Status::IoError(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

Status GoToBackground() {
  const pid_t child = ::fork();
  if (child < 0) return SystemError("cannot go to the background");
  if (child > 0) ::_exit(0);
  if (::setsid() < 0) return SystemError("cannot leave the terminal");
  const int nowhere = ::open("/dev/null", O_RDWR);
  if (nowhere < 0) return SystemError("cannot open /dev/null");
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
  if (nowhere > STDERR_FILENO) ::close(nowhere);
  return {};
}

PidFile::PidFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  std::ofstream file(path_, std::ios::trunc);
  file << ::getpid() << "\n" << std::flush;
  if (!file) status_ = SystemError(fmt::format("cannot write {}", path_));
}

PidFile::~PidFile() {
  if (!path_.empty() && status_.ok()) ::unlink(path_.c_str());
}

bool SupervisorWaits() {
  const char* const path = std::getenv(kSocketName);
  return path != nullptr && *path != '\0';
}

// systemd's protocol: one datagram to the socket that the environment names; a leading '@' stands
// for a zero byte, which marks an abstract name.
Status NotifySupervisor(std::string_view state) {
  if (!SupervisorWaits()) return Status::IoError("NOTIFY_SOCKET is not set");
  const std::string_view path = std::getenv(kSocketName);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return Status::IoError("the path in NOTIFY_SOCKET is too long");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path.front() == '@') address.sun_path[0] = '\0';
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return SystemError("cannot open a socket for systemd");
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  const ssize_t sent = ::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
                                reinterpret_cast<const sockaddr*>(&address), size);
  const Status status =
      sent == static_cast<ssize_t>(state.size()) ? Status() : SystemError("cannot tell systemd");
  ::close(socket);
  return status;
}

}  // namespace mayfly::app
