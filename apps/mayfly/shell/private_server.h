// private_server.h - a folder, served to this process alone: on a unix socket in a temporary folder
// that no other user can enter.
#pragma once

#include <memory>
#include <string>

#include "apps/mayfly/target/target.h"

namespace mayfly::app {

class PrivateServer {
 public:
  // Unsupported when the folder holds keyspaces of the library and was never served: its rows would
  // not be in any numbered database. Otherwise fails as serving does.
  static Result<std::unique_ptr<PrivateServer>> Start(const TargetFlags& flags);
  virtual ~PrivateServer() = default;  // Stops it; everything is durable then.

  // The URL to connect to.
  virtual std::string url() const = 0;
};

}  // namespace mayfly::app
