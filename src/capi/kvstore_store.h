// kvstore_store.h - the structs behind kvstore.h's handles.
// Handles share the store, which outlives its close as an empty shell, so that late calls return an
// error. Calls outside transactions run concurrently; calls within a transaction run one at a time.
// Lock order: gate, then the mutexes of iterators, messages and keys born dead; then the database's
// own.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/owner_process.h"
#include "capi/kvstore_born_dead.h"
#include "capi/kvstore_name_file.h"
#include "crypto/secret.h"
#include "mayfly/database.h"
#include "mayfly/kvstore.h"

namespace mayfly::kvstore {

// A column family of an open store. Shared by the store and the handles.
struct Family {
  explicit Family(std::shared_ptr<Keyspace> of) : keyspace(std::move(of)) {}

  std::shared_ptr<Keyspace> keyspace;  // Null once the store is closed; guarded by its gate.
  BornDead born_dead;
};

struct StoreOptions {
  bool wal = true;
  bool read_only = false;
  Durability durability = Durability::kProcess;
  MemoryProfile memory = MemoryProfile::kDefault;
  std::uint64_t page_bytes = 4096;
  std::uint64_t checkpoint_commits = 0;  // 0: no automatic checkpoints.
  Millis busy_timeout{0};
};

struct Counts {
  std::atomic<std::uint64_t> puts{0};
  std::atomic<std::uint64_t> gets{0};
  std::atomic<std::uint64_t> deletes{0};
  std::atomic<std::uint64_t> iterations{0};
  std::atomic<std::uint64_t> errors{0};
  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> bytes_written{0};
  std::atomic<std::uint64_t> commits{0};
  std::atomic<std::uint64_t> checkpoints{0};
  std::atomic<std::uint64_t> born_dead_met{0};
  std::atomic<std::uint64_t> purged{0};
};

// A write whose row is, or is no longer, born dead; applied to the family after the commit.
struct Birth {
  std::shared_ptr<Family> family;
  std::string key;
  bool dead;
};

class Store {
 public:
  Store(StoreOptions options, std::optional<NameFile> file, std::unique_ptr<Database> database,
        crypto::Secret password);

  // Ends everything that is open. Under the exclusive gate.
  Status Close();

  // Closes the database and keeps the handles, so that its files can be rewritten. On failure it is
  // open or suspended. Under the exclusive gate, outside transactions.
  Status Suspend();
  // Opens a suspended database again. It stays suspended when that fails, on a full disk for
  // instance, and the next call tries again. Ok when it is open. Under the exclusive gate.
  Status EnsureOpen();
  bool is_suspended() const { return database == nullptr && file_.has_value(); }  // Under the gate.
  NameFile* file() { return file_ ? &*file_ : nullptr; }  // Null: in memory. Under the gate.

  // The one object for this keyspace.
  std::shared_ptr<Family> FamilyOf(std::shared_ptr<Keyspace> keyspace);
  // Call it after the keyspace was dropped: a new keyspace of that name is another family.
  void ForgetFamily(const std::string& name);

  // Ok in the process that opened the store: a child made by fork() must take no lock.
  Status CheckOwner() const { return owner_.IsThis() ? Status() : OwnerProcess::Refusal(); }

  // Ok while the database is open. Under the gate, as all that follow.
  Status CheckOpen() const;
  Status CheckWritable() const;
  const KeyspaceReader& ReaderOf(const Family& family) const;
  KeyspaceWriter& WriterOf(Family& family);
  WallTime now() const;
  bool in_transaction() const { return transaction != nullptr || snapshot != nullptr; }

  // Records a write that succeeded.
  void Wrote(const std::shared_ptr<Family>& family, Bytes key, bool born_dead);
  // Records a read that found nothing.
  void Missed(Family& family, Bytes key);
  // Counts a commit and makes a checkpoint every checkpoint_commits.
  Status Committed();

  // Ends the transaction or snapshot, after it was committed or to roll back.
  void EndTransaction(bool committed);

  void SetMessage(std::string_view message);
  std::string message() const;

  const StoreOptions options;
  Counts counts;

  std::shared_mutex gate;  // Shared: calls outside transactions. Exclusive: calls within one, and
                           // calls that begin or end something.
  std::unique_ptr<Database> database;  // Guarded by gate, as the next three. Null while suspended
                                       // and once closed.
  std::unique_ptr<Transaction> transaction;
  std::unique_ptr<Snapshot> snapshot;
  std::vector<Birth> births;  // Of the transaction.
  crypto::Secret password;  // Empty: not encrypted. Kept to open the files again. Guarded by gate.

  std::mutex iterators_mutex;
  std::set<KVIterator*> iterators;  // Guarded by iterators_mutex.

  std::atomic<std::uint64_t> purged_by_reads_before{0};  // At the last reset.

 private:
  Status Resume(std::unique_ptr<Database> opened);

  const OwnerProcess owner_;
  std::optional<NameFile> file_;  // Nothing in memory. Guarded by gate.
  std::mutex families_mutex_;
  std::map<std::string, std::shared_ptr<Family>> families_;  // Guarded by families_mutex_.
  mutable std::mutex message_mutex_;
  std::string message_;  // Guarded by message_mutex_.
};

// The base of KVStore, for the default family, and of KVColumnFamily.
struct FamilyHandle {
  std::shared_ptr<Store> store;  // Shared with all handles of the store.
  std::shared_ptr<Family> family;
};

// The clock stores are opened with.
const Clock& ClockOfStores();

}  // namespace mayfly::kvstore

struct KVStore : mayfly::kvstore::FamilyHandle {};
struct KVColumnFamily : mayfly::kvstore::FamilyHandle {};

struct KVIterator {
  mayfly::kvstore::FamilyHandle at;
  bool reverse = false;
  std::string prefix = {};

  // Null when its transaction ended: the position is found again by the key.
  std::unique_ptr<mayfly::Cursor> cursor = nullptr;
  bool of_transaction = false;
  bool at_end = true;
  std::optional<std::string> key = std::nullopt;  // Copies returned to the caller, until it moves.
  std::optional<std::string> value = std::nullopt;

  // Destroys the cursor and keeps the position.
  void Park();
};
