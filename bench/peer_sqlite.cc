// SQLite: one table ordered by key, an index on the deadline, a write-ahead log without syncs, and a
// cache for all rows.
#include <sqlite3.h>

#include <algorithm>
#include <map>

#include "must.h"
#include "peer.h"

namespace mayfly::bench {
namespace {

class SqlitePeer final : public Peer {
 public:
  explicit SqlitePeer(const std::string& directory) {
    Must(sqlite3_open((directory + "/rows.sqlite").c_str(), &database_));
    Run("PRAGMA journal_mode=WAL");
    Run("PRAGMA synchronous=OFF");
    Run("PRAGMA cache_size=-1048576");
    Run("CREATE TABLE rows(key BLOB PRIMARY KEY, value BLOB, deadline INT) WITHOUT ROWID");
    Run("CREATE INDEX expiry ON rows(deadline) WHERE deadline IS NOT NULL");
  }
  ~SqlitePeer() override {
    for (const auto& [text, statement] : statements_) sqlite3_finalize(statement);
    sqlite3_close(database_);
  }

  void Put(Bytes key, Bytes value) override {
    sqlite3_stmt* const put = Prepared("INSERT OR REPLACE INTO rows VALUES(?1, ?2, NULL)");
    Bind(put, 1, key);
    Bind(put, 2, value);
    Finish(put);
  }

  void PutUntil(Bytes key, Bytes value, std::uint64_t deadline) override {
    sqlite3_stmt* const put = Prepared("INSERT OR REPLACE INTO rows VALUES(?1, ?2, ?3)");
    Bind(put, 1, key);
    Bind(put, 2, value);
    Must(sqlite3_bind_int64(put, 3, static_cast<sqlite3_int64>(deadline)));
    Finish(put);
  }

  void Delete(Bytes key) override {
    sqlite3_stmt* const remove = Prepared("DELETE FROM rows WHERE key = ?1");
    Bind(remove, 1, key);
    Finish(remove);
  }

  bool Get(Bytes key) override {
    sqlite3_stmt* const get = Prepared("SELECT value FROM rows WHERE key = ?1");
    Bind(get, 1, key);
    const bool found = sqlite3_step(get) == SQLITE_ROW;
    if (found) value_.assign(Column(get, 0));
    Must(sqlite3_reset(get));
    return found;
  }

  std::size_t Scan(Bytes start, std::size_t rows) override {
    sqlite3_stmt* const scan = Prepared("SELECT key, value FROM rows WHERE key >= ?1 ORDER BY key");
    Bind(scan, 1, start);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      if (sqlite3_step(scan) != SQLITE_ROW) {
        Must(sqlite3_reset(scan));
        Bind(scan, 1, "");
        bench::Must(sqlite3_step(scan) == SQLITE_ROW, "SQLite shows no row");
      }
      bytes += SeenOf(Column(scan, 0), Column(scan, 1));
    }
    Must(sqlite3_reset(scan));
    return bytes;
  }

  std::size_t Purge(std::uint64_t now, std::size_t rows_max) override {
    std::size_t gone = 0;
    while (gone < rows_max) {
      sqlite3_stmt* const purge = Prepared(
          "DELETE FROM rows WHERE key IN (SELECT key FROM rows INDEXED BY expiry WHERE deadline <= "
          "?1 ORDER BY deadline LIMIT ?2)");
      Must(sqlite3_bind_int64(purge, 1, static_cast<sqlite3_int64>(now)));
      Must(sqlite3_bind_int64(
          purge, 2, static_cast<sqlite3_int64>(std::min(kPurgeBatchRows, rows_max - gone))));
      Finish(purge);
      const int removed = sqlite3_changes(database_);
      if (removed == 0) break;
      gone += static_cast<std::size_t>(removed);
    }
    return gone;
  }

 private:
  void Must(int code) const {
    if (code != SQLITE_OK) [[unlikely]]
      GiveUp(sqlite3_errmsg(database_));
  }
  void Run(const char* text) { Must(sqlite3_exec(database_, text, nullptr, nullptr, nullptr)); }
  sqlite3_stmt* Prepared(const char* text) {
    sqlite3_stmt*& statement = statements_[text];
    if (statement == nullptr) {
      Must(sqlite3_prepare_v3(database_, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr));
    }
    return statement;
  }
  void Bind(sqlite3_stmt* statement, int at, Bytes bytes) {
    Must(sqlite3_bind_blob64(statement, at, bytes.data(), bytes.size(), SQLITE_STATIC));
  }
  static std::string_view Column(sqlite3_stmt* statement, int at) {
    const void* const bytes = sqlite3_column_blob(statement, at);
    return {static_cast<const char*>(bytes),
            static_cast<std::size_t>(sqlite3_column_bytes(statement, at))};
  }
  void Finish(sqlite3_stmt* statement) {
    const int code = sqlite3_step(statement);
    if (code != SQLITE_DONE) Must(code);
    Must(sqlite3_reset(statement));
  }

  sqlite3* database_ = nullptr;
  std::map<const char*, sqlite3_stmt*> statements_;  // By the address of the text.
  std::string value_;
};

}  // namespace

std::unique_ptr<Peer> NewSqlitePeer(const std::string& directory) {
  return std::make_unique<SqlitePeer>(directory);
}

}  // namespace mayfly::bench
