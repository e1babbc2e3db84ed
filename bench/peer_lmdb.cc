// LMDB with a writable map and without syncs: the fastest way to use it.
#include <lmdb.h>

#include <vector>

#include "must.h"
#include "peer.h"

namespace mayfly::bench {
namespace {

void MustLmdb(int code) {
  if (code != 0) [[unlikely]]
    GiveUp(mdb_strerror(code));
}

MDB_val ValueOf(Bytes bytes) {
  return {.mv_size = bytes.size(), .mv_data = const_cast<char*>(bytes.data())};
}
std::string_view ViewOf(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

class LmdbPeer final : public Peer {
 public:
  explicit LmdbPeer(const std::string& directory) {
    MustLmdb(mdb_env_create(&environment_));
    MustLmdb(mdb_env_set_mapsize(environment_, std::size_t{16} << 30));
    MustLmdb(mdb_env_set_maxdbs(environment_, 2));
    MustLmdb(mdb_env_open(environment_, directory.c_str(),
                          MDB_WRITEMAP | MDB_NOSYNC | MDB_NORDAHEAD, 0600));
    MDB_txn* const made = Begin();
    MustLmdb(mdb_dbi_open(made, "rows", MDB_CREATE, &rows_));
    MustLmdb(mdb_dbi_open(made, "expiry", MDB_CREATE, &expiry_));
    MustLmdb(mdb_txn_commit(made));
    MustLmdb(mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &reader_));
    mdb_txn_reset(reader_);
  }
  ~LmdbPeer() override {
    mdb_txn_abort(reader_);
    mdb_env_close(environment_);
  }

  void Put(Bytes key, Bytes value) override {
    MDB_txn* const write = Begin();
    PutIn(write, rows_, key, value);
    MustLmdb(mdb_txn_commit(write));
  }

  void PutUntil(Bytes key, Bytes value, std::uint64_t deadline) override {
    const std::string at = DeadlineBytes(deadline);
    MDB_txn* const write = Begin();
    PutIn(write, rows_, key, at + std::string(value));
    PutIn(write, expiry_, at + std::string(key), {});
    MustLmdb(mdb_txn_commit(write));
  }

  void Delete(Bytes key) override {
    MDB_txn* const write = Begin();
    MDB_val at = ValueOf(key);
    const int code = mdb_del(write, rows_, &at, nullptr);
    if (code != MDB_NOTFOUND) MustLmdb(code);
    MustLmdb(mdb_txn_commit(write));
  }

  bool Get(Bytes key) override {
    MustLmdb(mdb_txn_renew(reader_));
    MDB_val at = ValueOf(key);
    MDB_val value{};
    const int code = mdb_get(reader_, rows_, &at, &value);
    if (code == 0) copied_.assign(ViewOf(value));
    mdb_txn_reset(reader_);
    if (code == MDB_NOTFOUND) return false;
    MustLmdb(code);
    return true;
  }

  std::size_t Scan(Bytes start, std::size_t rows) override {
    MustLmdb(mdb_txn_renew(reader_));
    MDB_cursor* cursor = nullptr;
    MustLmdb(mdb_cursor_open(reader_, rows_, &cursor));
    MDB_val key = ValueOf(start);
    MDB_val value{};
    int code = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      if (code == MDB_NOTFOUND) code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
      MustLmdb(code);
      bytes += SeenOf(ViewOf(key), ViewOf(value));
      code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
    }
    mdb_cursor_close(cursor);
    mdb_txn_reset(reader_);
    return bytes;
  }

  std::size_t Purge(std::uint64_t now, std::size_t rows_max) override {
    std::size_t gone = 0;
    for (bool more = true; more && gone < rows_max;) {
      MDB_txn* const write = Begin();
      MDB_cursor* cursor = nullptr;
      MustLmdb(mdb_cursor_open(write, expiry_, &cursor));
      for (std::size_t i = 0; i < kPurgeBatchRows && gone < rows_max; ++i) {
        MDB_val entry{};
        MDB_val nothing{};
        const int code = mdb_cursor_get(cursor, &entry, &nothing, MDB_FIRST);
        if (code != MDB_NOTFOUND) MustLmdb(code);
        more = code == 0 && DeadlineOf(ViewOf(entry)) <= now;
        if (!more) break;
        const std::string due(ViewOf(entry));
        MDB_val key = ValueOf(std::string_view(due).substr(8));
        MDB_val row{};
        MustLmdb(mdb_get(write, rows_, &key, &row));
        if (DeadlineOf(ViewOf(row)) == DeadlineOf(due)) {
          MustLmdb(mdb_del(write, rows_, &key, nullptr));
          ++gone;
        }
        MustLmdb(mdb_cursor_del(cursor, 0));
      }
      mdb_cursor_close(cursor);
      MustLmdb(mdb_txn_commit(write));
    }
    return gone;
  }

 private:
  MDB_txn* Begin() {
    MDB_txn* begun = nullptr;
    MustLmdb(mdb_txn_begin(environment_, nullptr, 0, &begun));
    return begun;
  }
  static void PutIn(MDB_txn* write, MDB_dbi database, Bytes key, Bytes value) {
    MDB_val at = ValueOf(key);
    MDB_val stored = ValueOf(value);
    MustLmdb(mdb_put(write, database, &at, &stored, 0));
  }

  MDB_env* environment_ = nullptr;
  MDB_txn* reader_ = nullptr;  // Renewed for each read, so that it sees the newest state.
  MDB_dbi rows_ = 0;
  MDB_dbi expiry_ = 0;
  std::string copied_;
};

}  // namespace

std::unique_ptr<Peer> NewLmdbPeer(const std::string& directory) {
  return std::make_unique<LmdbPeer>(directory);
}

}  // namespace mayfly::bench
