// promised_memory.h - what the server keeps in memory of commands that ran, and the promise.
// Arguments of commands are keys and values: the slow log has some, the results of jobs name keys,
// and lines of MONITOR wait for clients that do not read. A keyspace that promises purge_within
// means these, too. They are not sorted by keyspace: all of them go after half of the shortest
// promise there is, whichever keyspace made it.
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
