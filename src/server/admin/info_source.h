// info_source.h - what one INFO is about: a server, and the figures of its database, which are
// gathered once for all sections that want them, and not at all if none does.
#pragma once

#include <optional>

#include "server/session/server.h"

namespace mayfly::server::admin {

class InfoSource {
 public:
  explicit InfoSource(Server& server) : server_(server) {}

  Server& server() { return server_; }

  // Null: they cannot be had.
  const Statistics* statistics() {
    if (!asked_) asked_ = server_.database().GetStatistics();
    return *asked_ ? &**asked_ : nullptr;
  }

 private:
  Server& server_;
  std::optional<Result<Statistics>> asked_;
};

}  // namespace mayfly::server::admin
