// rocks_snapshot.h - a frozen state of a RocksDB database.
#pragma once

#include <rocksdb/db.h>

#include <cassert>

#include "engine/engine.h"

namespace mayfly::engine {

class RocksSnapshot final : public Snapshot {
 public:
  // `database` must outlive the snapshot; Engine::Close() checks that through `open_snapshots`.
  RocksSnapshot(rocksdb::DB& database, std::atomic<std::uint64_t>& open_snapshots)
      : ticket_(open_snapshots), database_(database), snapshot_(database.GetSnapshot()) {
    read_options_.snapshot = snapshot_;
  }
  ~RocksSnapshot() override {
    if (owner_.IsThis()) database_.ReleaseSnapshot(snapshot_);
  }

  // Built once, since building one costs more than the checks of a read.
  const rocksdb::ReadOptions& read_options() const { return read_options_; }

  // Casts a snapshot, which must be of `database`.
  static const RocksSnapshot& Of(const Snapshot& snapshot, const rocksdb::DB& database) {
    const auto& own = static_cast<const RocksSnapshot&>(snapshot);
    assert(&own.database_ == &database && "a snapshot of another engine");
    (void)database;
    return own;
  }

 private:
  const HandleTicket ticket_;
  const OwnerProcess owner_;
  rocksdb::DB& database_;
  const rocksdb::Snapshot* const snapshot_;
  rocksdb::ReadOptions read_options_;
};

}  // namespace mayfly::engine
