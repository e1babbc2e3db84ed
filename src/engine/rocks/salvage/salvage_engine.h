// salvage_engine.h - the engine that reads a damaged database, to save what can be read.
// Read-only, one state; why without RocksDB: salvaged_state.h.
#pragma once

#include <memory>

#include "base/directory_lock.h"
#include "crypto/database_key.h"
#include "engine/engine.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {

// Opens a directory that exists and is locked. `key` is that of its files; null: they are not
// encrypted. `is_marked`: it has a sound format file. NotFound when it has no file of a database,
// unless a log lies above it (beneath_log).
Result<std::unique_ptr<Engine>> OpenSalvageEngine(const RocksOptions& options, DirectoryLock lock,
                                                  std::shared_ptr<const crypto::DatabaseKey> key,
                                                  bool is_marked);

}  // namespace mayfly::engine
