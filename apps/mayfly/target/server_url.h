// server_url.h - the address of a server: redis://[user:password@]host[:port][/db], rediss:// with
// TLS, unix://[user:password@]/path[?db=N]. User and password may be escaped as %NN.
#pragma once

#include <string>

#include "mayfly/result.h"

namespace mayfly::app {

struct ServerUrl {
  enum class Scheme { kTcp, kTls, kUnix };

  Scheme scheme = Scheme::kTcp;
  std::string user;      // Empty: the default user.
  std::string password;  // Empty: that of the environment's MAYFLY_PASSWORD, or none.
  std::string host;      // Of kUnix, the path.
  std::string port = "6379";
  int database = 0;

  // Without the password.
  std::string ToString() const;
};

// Invalid, without repeating the password.
Result<ServerUrl> ParseServerUrl(const std::string& text);

}  // namespace mayfly::app
