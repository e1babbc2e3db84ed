// rocks_leftovers.h - gives back the disk space that a crash left taken, before RocksDB's recovery.
// Recovery writes the rows of the logs to tables, and removes logs and leftovers only afterwards.
// On a full disk it finds no room for these tables, and the database would stay closed.
//   removed   tables that the current manifest does not name: outputs of compactions and flushes
//             that did not end. RocksDB would remove the same files after recovery.
//   cut       space beyond the end of logs and manifests, which RocksDB allocates ahead
// Nothing is removed unless the manifest is intact and every table it names is there: if CURRENT
// names a wrong manifest, the other tables may be the database.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <string>

#include "mayfly/logger.h"

namespace mayfly::engine {

// The caller holds the directory's exclusive lock. `env` is the one that RocksDB is opened with,
// whose files are the operating system's. Returns about how many bytes recovery needs.
std::uint64_t GiveBackLeftovers(rocksdb::Env& env, const std::string& directory, Logger& logger);

}  // namespace mayfly::engine
