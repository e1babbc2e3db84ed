// databases.h - the numbered databases of Redis as keyspaces "db0", "db1", ...
// A keyspace is created when a client first needs it. SWAPDB changes which number means which; the
// order is kept in a row of the keyspace "mayfly.server", written by the transaction that swaps.
// A full copy of another server fills keyspaces of its own, "db0.1", "db1.1", ..., whose number
// behind the dot is new with each copy, and exchanges all at once in the same way.
// Invariants: (1) A mapping never changes: a latched transaction keeps the one it was begun with,
// so that the keys it latched are the keys it uses. (2) An installed mapping was committed. Safe to
// call from any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/transactions/latched_transaction.h"
#include "mayfly/database.h"
#include "mayfly/result.h"

namespace mayfly::server {

// As many as the setting `databases` has at first.
inline constexpr int kUsualDatabases = 16;

inline constexpr const char* kServerKeyspace = "mayfly.server";
inline constexpr const char* kFirstKeyspace =
    "db0";  // Of database 0, unless databases are swapped.

class Databases {
 public:
  // By number; null: not created yet, so empty.
  using Mapping = std::vector<std::shared_ptr<Keyspace>>;

  // Corruption when the stored order cannot be read; Invalid when it has more databases than
  // `count`.
  static Result<std::unique_ptr<Databases>> Open(Database& database, int count);

  int count() const { return count_; }
  std::shared_ptr<const Mapping> mapping() const;

  // Grows with every new mapping: a holder of one sees whether it is still current.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  Status Make(int number);
  Status MakeAll();

  // The mapping with two numbers exchanged; writes the row of the order in `transaction`, which has
  // all keys. Install() it when the transaction is committed.
  Result<std::shared_ptr<const Mapping>> Swap(core::LatchedTransaction& transaction,
                                              const Mapping& mapping, int a, int b);
  void Install(std::shared_ptr<const Mapping> mapping);

  // Empty keyspaces for all numbers, in which a copy is prepared. What an earlier one left behind
  // is dropped first.
  Result<Mapping> MakeCopy();

  // As Swap(): puts the copy in the place of all numbers.
  Status Exchange(core::LatchedTransaction& transaction, const Mapping& copy);

  // Drops the keyspaces of a mapping that is no longer installed, or was never.
  void Drop(const Mapping& mapping);

  // "mayfly.server", for rows that are written with those of the databases.
  Keyspace& own() { return *own_; }

  // The names of the keyspaces by number, whether or not they exist: for tools on a folder. Creates
  // nothing. Fails as Open().
  static Result<std::vector<std::string>> Names(Database& database, int count);

  // The number that means this keyspace, or -1.
  static int NumberOf(const Mapping& mapping, const Keyspace* keyspace);
  static int NumberOf(const Mapping& mapping, const std::string& keyspace);

 private:
  Databases(Database& database, int count) : database_(database), count_(count) {}
  Status Load();
  Status MakeLocked(int number);

  Database& database_;
  const int count_;
  std::shared_ptr<Keyspace> own_;  // "mayfly.server".

  std::atomic<std::uint64_t> generation_{1};
  std::mutex making_;               // Serialises creation.
  std::vector<std::string> names_;  // Guarded by making_: of the keyspaces, by number.
  mutable std::mutex mutex_;
  std::shared_ptr<const Mapping> mapping_;  // Guarded by mutex_; shared with transactions.
};

}  // namespace mayfly::server
