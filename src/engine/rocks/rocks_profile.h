// rocks_profile.h - RocksDB's settings for small rows, from mayfly's few.
// Benchmarks open raw RocksDB with the same, so that they compare calls and not settings.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/damage_log.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {

struct RocksSetup {
  rocksdb::DBOptions database;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;  // In the order of Role.
  std::shared_ptr<rocksdb::Cache> block_cache;            // One for all families.
  // Counts compactions, each after its inputs have left the newest state. Shared with the database.
  std::shared_ptr<std::atomic<std::uint64_t>> removals;
  // What the listener syncs when a log is full; null while it is opened and closed.
  std::shared_ptr<std::atomic<rocksdb::DB*>> open_database;
  // Told by the listener what background work met. Shared with the database.
  std::shared_ptr<DamageLog> damage;
};

// As large as the profile says.
std::shared_ptr<rocksdb::Cache> NewBlockCache(const RocksOptions& options);

RocksSetup SetupRocks(const RocksOptions& options);

}  // namespace mayfly::engine
