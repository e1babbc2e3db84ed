// LevelDB with a cache for all rows, a write buffer as RocksDB has it here, and filters.
//   'r' | key  -> row      'x' | deadline | key  -> empty
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include "must.h"
#include "peer.h"

namespace mayfly::bench {
namespace {

void MustLevel(const leveldb::Status& status) {
  if (!status.ok()) [[unlikely]]
    GiveUp(status.ToString());
}

class LevelPeer final : public Peer {
 public:
  explicit LevelPeer(const std::string& directory)
      : cache_(leveldb::NewLRUCache(std::size_t{512} << 20)),
        filter_(leveldb::NewBloomFilterPolicy(10)) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = std::size_t{32} << 20;
    options.block_cache = cache_.get();
    options.filter_policy = filter_.get();
    leveldb::DB* database = nullptr;
    MustLevel(leveldb::DB::Open(options, directory + "/level", &database));
    database_.reset(database);
  }

  void Put(Bytes key, Bytes value) override {
    MustLevel(database_->Put({}, RowAt(key), {value.data(), value.size()}));
  }

  void PutUntil(Bytes key, Bytes value, std::uint64_t deadline) override {
    const std::string at = DeadlineBytes(deadline);
    batch_.Clear();
    batch_.Put(RowAt(key), at + std::string(value));
    batch_.Put("x" + at + std::string(key), "");
    MustLevel(database_->Write({}, &batch_));
  }

  void Delete(Bytes key) override { MustLevel(database_->Delete({}, RowAt(key))); }

  bool Get(Bytes key) override {
    const leveldb::Status status = database_->Get({}, RowAt(key), &value_);
    if (status.IsNotFound()) return false;
    MustLevel(status);
    return true;
  }

  std::size_t Scan(Bytes start, std::size_t rows) override {
    const std::unique_ptr<leveldb::Iterator> cursor(database_->NewIterator({}));
    cursor->Seek(RowAt(start));
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      if (!cursor->Valid() || cursor->key()[0] != 'r') cursor->Seek("r");
      bytes += SeenOf({cursor->key().data(), cursor->key().size()},
                      {cursor->value().data(), cursor->value().size()});
      cursor->Next();
    }
    MustLevel(cursor->status());
    return bytes;
  }

  std::size_t Purge(std::uint64_t now, std::size_t rows_max) override {
    std::size_t gone = 0;
    const std::unique_ptr<leveldb::Iterator> entry(database_->NewIterator({}));
    entry->Seek("x");
    for (bool more = true; more && gone < rows_max;) {
      batch_.Clear();
      for (std::size_t i = 0; i < kPurgeBatchRows && gone < rows_max; ++i, entry->Next()) {
        more = entry->Valid() && DeadlineOf(entry->key().ToString().substr(1)) <= now;
        if (!more) break;
        const std::string due = entry->key().ToString().substr(1);
        const std::string row = "r" + due.substr(8);
        MustLevel(database_->Get({}, row, &value_));
        if (DeadlineOf(value_) == DeadlineOf(due)) {
          batch_.Delete(row);
          ++gone;
        }
        batch_.Delete("x" + due);
      }
      MustLevel(database_->Write({}, &batch_));
    }
    return gone;
  }

 private:
  const std::string& RowAt(Bytes key) {
    row_.assign("r").append(key);
    return row_;
  }

  const std::unique_ptr<leveldb::Cache> cache_;
  const std::unique_ptr<const leveldb::FilterPolicy> filter_;
  std::unique_ptr<leveldb::DB> database_;
  leveldb::WriteBatch batch_;
  std::string row_;
  std::string value_;
};

}  // namespace

std::unique_ptr<Peer> NewLevelPeer(const std::string& directory) {
  return std::make_unique<LevelPeer>(directory);
}

}  // namespace mayfly::bench
