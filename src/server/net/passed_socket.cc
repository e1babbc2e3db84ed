#include "server/net/passed_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "server/net/address.h"

namespace mayfly::server {
namespace {

// The option's value, or 0 where the socket has none.
int OptionOf(int descriptor, int option) {
  int value = 0;
  socklen_t size = sizeof(value);
  return ::getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : 0;
}

}  // namespace

Result<ListeningAddress> AddressOf(const PassedSocket& socket) {
  const auto wrong = [&socket](std::string_view what) {
    return Status::Invalid(fmt::format("the passed descriptor {} {}", socket.descriptor, what));
  };
  if (OptionOf(socket.descriptor, SO_TYPE) != SOCK_STREAM ||
      OptionOf(socket.descriptor, SO_ACCEPTCONN) == 0) {
    return wrong("is no socket that listens for streams");
  }
  Local::endpoint path;
  Tcp::endpoint endpoint;
  const int family = OptionOf(socket.descriptor, SO_DOMAIN);
  if (family == AF_UNIX) {
    socklen_t size = static_cast<socklen_t>(path.capacity());
    if (::getsockname(socket.descriptor, path.data(), &size) != 0) return wrong("has no address");
    path.resize(size);
    return ListeningAddress{.family = family, .local = true, .text = path.path()};
  }
  if (family != AF_INET && family != AF_INET6) return wrong("is neither of TCP nor a unix socket");
  socklen_t size = static_cast<socklen_t>(endpoint.capacity());
  if (::getsockname(socket.descriptor, endpoint.data(), &size) != 0) return wrong("has no address");
  endpoint.resize(size);
  return ListeningAddress{
      .family = family, .local = IsLoopback(endpoint.address()), .text = ToText(endpoint)};
}

}  // namespace mayfly::server
