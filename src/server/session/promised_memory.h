// promised_memory.h - keeps purge_within for data of commands that the server holds in memory.
// Arguments of commands are keys and values: the slow log has some, results of jobs name keys, and
// lines of MONITOR wait for clients that do not read. The promise of a keyspace covers these, too.
// They are not sorted by keyspace: all of them are dropped after half of the shortest promise of
// any keyspace.
#pragma once

#include <optional>

#include "mayfly/database.h"

namespace mayfly::server {

class Server;

// The shortest purge_within of all keyspaces, those of tables included; nothing: none promises.
std::optional<Millis> ShortestPromise(Database& database);

// Called every second.
void KeepPromisesInMemory(Server& server);

}  // namespace mayfly::server
