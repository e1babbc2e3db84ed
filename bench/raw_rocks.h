// raw_rocks.h - RocksDB called directly, the way a careful program would: the baseline of our
// engine. Same options, same column families, one slice and one set of options kept from call to
// call. Members as in engine_store.h.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "dataset.h"
#include "engine/engine.h"
#include "engine_store.h"
#include "must.h"

namespace mayfly::bench {

class RawRocks {
 public:
  static constexpr const char* kName = "raw";

  struct Session {
    rocksdb::ReadOptions read;
    rocksdb::WriteOptions write;
    rocksdb::PinnableSlice value;
    rocksdb::WriteBatch batch;
  };

  // Opens with the options of our engine's kDefault profile; created if missing. It can also open a
  // closed database of our engine.
  explicit RawRocks(const std::string& directory);
  ~RawRocks();
  RawRocks(const RawRocks&) = delete;
  RawRocks& operator=(const RawRocks&) = delete;

  bool Get(Session& session, Bytes key) const {
    session.value.Reset();
    const rocksdb::Status status = database_->Get(session.read, rows_, Slice(key), &session.value);
    if (!status.ok() && !status.IsNotFound()) Must(status);
    return status.ok();
  }

  void Put(Session& session, Bytes key, Bytes value, Durability durability) {
    SetDurability(session, durability);
    Must(database_->Put(session.write, rows_, Slice(key), Slice(value)));
  }

  void PutMany(Session& session, const Dataset& data, std::size_t first, std::size_t count,
               std::size_t salt, Durability durability) {
    session.batch.Clear();
    for (std::size_t i = first; i < first + count; ++i) {
      Must(session.batch.Put(rows_, Slice(data.key(i)), Slice(data.value(i + salt))));
    }
    SetDurability(session, durability);
    Must(database_->Write(session.write, &session.batch));
  }

  std::size_t Scan(Bytes start, std::size_t rows, Direction direction) const;

  void Compact();

 private:
  static rocksdb::Slice Slice(Bytes bytes) { return {bytes.data(), bytes.size()}; }

  static void Must(const rocksdb::Status& status) {
    if (!status.ok()) [[unlikely]]
      GiveUp(status.ToString());
  }

  // kNone skips the log. Our engine writes it, so this shows the cost of that promise.
  static void SetDurability(Session& session, Durability durability) {
    session.write.sync = durability == Durability::kDisk;
    session.write.disableWAL = durability == Durability::kNone;
  }

  std::shared_ptr<rocksdb::Cache> block_cache_;  // Shared with the tables.
  std::unique_ptr<rocksdb::DB> database_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  // By Role; destroyed before the database.
  rocksdb::ColumnFamilyHandle* rows_ = nullptr;
};

}  // namespace mayfly::bench
