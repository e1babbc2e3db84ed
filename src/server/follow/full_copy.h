// full_copy.h - takes a leader's RDB into keyspaces of its own, beside those that clients read.
// Nothing of it is visible before all of it is there; then one transaction exchanges all numbered
// databases and stores the position, and the old keyspaces are dropped. A copy that fails, or a
// process that is killed, leaves the old state, and what was copied is dropped before the next one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "rdb/input.h"
#include "server/follow/follow_position.h"
#include "server/session/server.h"

namespace mayfly::server {

struct CopyOutcome {
  std::string left_out;  // What there is no type for; empty: nothing.
  int database = 0;      // The one that the leader's stream has selected where it begins.
};

// Reads an RDB, which ends before the source does if `mark` is not empty: then the mark follows.
// `position` is what is stored; its database is set from the file. `rest`: what was read behind the
// copy. Fails as ReadRdb() and as the database; Invalid: the leader has more databases.
Result<CopyOutcome> TakeFullCopy(Server& server, rdb::ByteSource& source, const std::string& mark,
                                 FollowPosition position, std::string& rest);

}  // namespace mayfly::server
