// passed_socket.h - a listening socket that a supervisor opened and passed on (socket activation).
// Clients can connect while the server is restarted: they wait in the socket's queue, which the
// supervisor keeps open.
#pragma once

#include <string>

#include "mayfly/result.h"

namespace mayfly::server {

struct PassedSocket {
  enum class Use { kRedis, kTls, kHttp };

  int descriptor = -1;
  Use use = Use::kRedis;
};

// The kind of an address on which a socket listens, and the address as text.
struct ListeningAddress {
  int family = 0;      // AF_INET, AF_INET6 or AF_UNIX.
  bool local = false;  // Only reachable from this machine.
  std::string text;    // "127.0.0.1:6379", "/run/mayfly.sock".
};

// Invalid when the descriptor is no socket that listens for streams.
Result<ListeningAddress> AddressOf(const PassedSocket& socket);

}  // namespace mayfly::server
