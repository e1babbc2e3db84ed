// info_source.h - the input of one INFO: a server, and the statistics of its database, which are
// gathered at most once, when the first section needs them.
#pragma once

#include <optional>

#include "server/session/gathered_statistics.h"
#include "server/session/server.h"

namespace mayfly::server::admin {

class InfoSource {
 public:
  explicit InfoSource(Server& server) : server_(server) {}

  Server& server() { return server_; }

  // Null: they cannot be read.
  const Statistics* statistics() {
    if (!asked_) asked_ = GatherStatistics(server_);
    return *asked_ ? &**asked_ : nullptr;
  }

 private:
  Server& server_;
  std::optional<Result<Statistics>> asked_;
};

}  // namespace mayfly::server::admin
