// rocks_profile.h - RocksDB's settings, derived from RocksOptions.
// Benchmarks open raw RocksDB with the same settings, so that they compare calls and not settings.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/damage_log.h"
#include "engine/disk/disk_reserve.h"
#include "engine/rocks/files/flush_gate.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {

struct RocksSetup {
  rocksdb::DBOptions database;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;  // In the order of Role.
  std::shared_ptr<rocksdb::Cache> block_cache;            // One for all families.
  // Counts compactions, each after its inputs have left the newest state. Shared with the database.
  std::shared_ptr<std::atomic<std::uint64_t>> removals;
  // The database whose log the listener syncs when it is full; null while opening and closing.
  std::shared_ptr<std::atomic<rocksdb::DB*>> open_database;
  // The listener closes it before RocksDB stops. Shared with the database.
  std::shared_ptr<FlushGate> flushes;
  // The listener records damage met by background work in it. Shared with the database.
  std::shared_ptr<DamageLog> damage;
};

// A cache of the profile's size.
std::shared_ptr<rocksdb::Cache> NewBlockCache(const RocksOptions& options);

// What is in memory must fit into the reserve, or nothing could be deleted once the disk is full. On
// a small disk the reserve is small, so write buffers and logs are smaller then; without a reserve,
// too: it may be full with all of its free space needed to write memory out.
RocksOptions ForDisk(const RocksOptions& asked, DiskSpace& space);

RocksSetup SetupRocks(const RocksOptions& options);

}  // namespace mayfly::engine
