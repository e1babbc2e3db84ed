// copy_writer.h - writes the numbered databases as of one moment as an RDB file, piece by piece.
// A collection of any size passes through a bounded memory; of a stream, all of one. What is dead at
// that moment is left out.
#pragma once

#include <string>

#include "base/function_ref.h"
#include "core/transactions/frozen_state.h"
#include "mayfly/status.h"
#include "server/databases/databases.h"

namespace mayfly::server {

struct CopyRequest {
  const core::FrozenState& state;
  const Databases::Mapping& databases;
  const Keyspace& own;  // Has the libraries of functions.
  // Deadlines of fields, in the form of Redis 7.4. Without, such fields have none in the copy, and go
  // when the stream says that they have died.
  bool field_deadlines = false;
};

// `take` gets the pieces in order; false ends the writing with Conflict. Fails as reads do.
Status WriteCopy(const CopyRequest& request, FunctionRef<bool(std::string piece)> take);

}  // namespace mayfly::server
