// salvage_engine.h - the engine that reads a damaged database, to save what can be read.
// Read-only, one state; why without RocksDB: salvaged_state.h.
#pragma once

#include <memory>
#include <string>

#include "base/directory_lock.h"
#include "crypto/database_key.h"
#include "engine/engine.h"
#include "mayfly/logger.h"

namespace rocksdb {
class Env;
}  // namespace rocksdb

namespace mayfly::engine {

// A directory that exists and is locked.
struct SalvageOptions {
  std::string directory;
  DirectoryLock lock;
  std::shared_ptr<const crypto::DatabaseKey> key;  // Of its files; null: they are not encrypted.
  bool is_marked;                                  // It has a sound format file.
  bool may_be_empty;                               // A log lies above it.
  rocksdb::Env& env;                               // Must outlive the engine.
  Logger* logger;                                  // Null: silence. Must outlive the engine.
};

// NotFound when the directory has no file of a database, unless it may be empty.
Result<std::unique_ptr<Engine>> OpenSalvageEngine(SalvageOptions options);

}  // namespace mayfly::engine
