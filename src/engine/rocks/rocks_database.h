// rocks_database.h - the Engine over an open RocksDB database.
// Lock order: gate_ before anything inside RocksDB; nothing of ours is taken after it.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/directory_lock.h"
#include "engine/engine.h"
#include "engine/rocks/commit_gate.h"
#include "mayfly/logger.h"

namespace mayfly::engine {

// What opening hands over.
struct RocksHandles {
  std::string directory;
  DirectoryLock lock;
  std::shared_ptr<rocksdb::Cache> block_cache;  // Shared with RocksDB's tables and pinned reads.
  std::unique_ptr<rocksdb::DB> database;
  std::vector<rocksdb::ColumnFamilyHandle*> families;  // By Role; destroyed before the database.
};

class RocksDatabase final : public Engine {
 public:
  RocksDatabase(RocksHandles handles, bool writable, Logger& logger);
  ~RocksDatabase() override;

 private:
  Status DoGet(Address at, Bytes key, PinnedBytes& value, const Snapshot* snapshot) const override;
  void DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const override;
  Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                              const CursorOptions& options) const override;
  Result<std::unique_ptr<Snapshot>> DoNewSnapshot() const override;
  Status DoCommit(const Batch& batch, Durability durability) override;
  Status DoPersist(Durability durability) override;
  Status DoCompact(Role role, const KeyRange& range) override;
  Result<std::vector<FileInfo>> DoFiles(Role role) const override;
  Result<EngineStats> DoStats() const override;
  Status DoClose() override;

  const rocksdb::ReadOptions& ReadOptionsOf(const Snapshot* snapshot) const;
  rocksdb::ColumnFamilyHandle* Family(Role role) const {
    return handles_.families[static_cast<std::size_t>(role)];
  }
  rocksdb::Status Translate(const Batch& batch, rocksdb::WriteBatch& writes) const;
  Status CheckConditions(const Batch& batch) const;
  Status Write(rocksdb::WriteBatch& writes, Durability durability);
  Status Failed(const rocksdb::Status& status, std::string_view doing) const;

  Logger& logger_;
  const rocksdb::ReadOptions read_options_;

  RocksHandles handles_;  // Constant until DoClose().
  CommitGate gate_;       // Safe on its own.
};

}  // namespace mayfly::engine
