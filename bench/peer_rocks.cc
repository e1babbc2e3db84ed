// RocksDB called directly, with the options and column families of our engine's default profile.
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <vector>

#include "engine/rocks/rocks_profile.h"
#include "must.h"
#include "peer.h"

namespace mayfly::bench {
namespace {

void MustRocks(const rocksdb::Status& status) {
  if (!status.ok()) [[unlikely]]
    GiveUp(status.ToString());
}

rocksdb::Slice SliceOf(Bytes bytes) { return {bytes.data(), bytes.size()}; }

class RawRocksPeer final : public Peer {
 public:
  explicit RawRocksPeer(const std::string& directory) {
    engine::RocksSetup setup = engine::SetupRocks({.directory = directory});
    setup.database.create_if_missing = true;
    setup.database.create_missing_column_families = true;
    block_cache_ = setup.block_cache;
    rocksdb::DB* database = nullptr;
    MustRocks(rocksdb::DB::Open(setup.database, directory, setup.families, &families_, &database));
    database_.reset(database);
    rows_ = families_[static_cast<std::size_t>(engine::Role::kRows)];
    expiry_ = families_[static_cast<std::size_t>(engine::Role::kExpiry)];
  }
  ~RawRocksPeer() override {
    for (rocksdb::ColumnFamilyHandle* family : families_) {
      database_->DestroyColumnFamilyHandle(family).PermitUncheckedError();
    }
  }

  void Put(Bytes key, Bytes value) override {
    MustRocks(database_->Put({}, rows_, SliceOf(key), SliceOf(value)));
  }

  void PutUntil(Bytes key, Bytes value, std::uint64_t deadline) override {
    const std::string at = DeadlineBytes(deadline);
    batch_.Clear();
    MustRocks(batch_.Put(rows_, SliceOf(key), at + std::string(value)));
    MustRocks(batch_.Put(expiry_, at + std::string(key), ""));
    MustRocks(database_->Write({}, &batch_));
  }

  void Delete(Bytes key) override { MustRocks(database_->Delete({}, rows_, SliceOf(key))); }

  bool Get(Bytes key) override {
    value_.Reset();
    const rocksdb::Status status = database_->Get(read_, rows_, SliceOf(key), &value_);
    if (status.IsNotFound()) return false;
    MustRocks(status);
    return true;
  }

  std::size_t Scan(Bytes start, std::size_t rows) override {
    const std::unique_ptr<rocksdb::Iterator> cursor(database_->NewIterator({}, rows_));
    cursor->Seek(SliceOf(start));
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      if (!cursor->Valid()) cursor->SeekToFirst();
      bytes += SeenOf(cursor->key().ToStringView(), cursor->value().ToStringView());
      cursor->Next();
    }
    MustRocks(cursor->status());
    return bytes;
  }

  std::size_t Purge(std::uint64_t now, std::size_t rows_max) override {
    std::size_t gone = 0;
    const std::unique_ptr<rocksdb::Iterator> entry(database_->NewIterator({}, expiry_));
    entry->SeekToFirst();
    for (bool more = true; more && gone < rows_max;) {
      batch_.Clear();
      for (std::size_t i = 0; i < kPurgeBatchRows && gone < rows_max; ++i, entry->Next()) {
        more = entry->Valid() && DeadlineOf(entry->key().ToStringView()) <= now;
        if (!more) break;
        const std::string_view due = entry->key().ToStringView();
        const rocksdb::Slice key(due.data() + 8, due.size() - 8);
        value_.Reset();
        MustRocks(database_->Get(read_, rows_, key, &value_));
        if (DeadlineOf(value_.ToStringView()) == DeadlineOf(due)) {
          MustRocks(batch_.Delete(rows_, key));
          ++gone;
        }
        MustRocks(batch_.Delete(expiry_, entry->key()));
      }
      MustRocks(database_->Write({}, &batch_));
    }
    return gone;
  }

 private:
  std::shared_ptr<rocksdb::Cache> block_cache_;  // Shared with the tables.
  std::unique_ptr<rocksdb::DB> database_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  // By Role.
  rocksdb::ColumnFamilyHandle* rows_ = nullptr;
  rocksdb::ColumnFamilyHandle* expiry_ = nullptr;
  const rocksdb::ReadOptions read_;
  rocksdb::PinnableSlice value_;
  rocksdb::WriteBatch batch_;
};

}  // namespace

std::unique_ptr<Peer> NewRawRocksPeer(const std::string& directory) {
  return std::make_unique<RawRocksPeer>(directory);
}

}  // namespace mayfly::bench
