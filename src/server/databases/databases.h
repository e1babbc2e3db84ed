// databases.h - the numbered databases of Redis as keyspaces "db0", "db1", ...
// A keyspace is made when a client first needs it. SWAPDB changes which number means which; the
// order is kept in a row of the keyspace "mayfly.server", written by the work that swaps.
// Invariants: (1) A mapping never changes: a latched transaction keeps the one it was begun with,
// so that the keys it latched are the keys it uses. (2) What is installed was committed. Safe to
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

inline constexpr const char* kServerKeyspace = "mayfly.server";

class Databases {
 public:
  // By number; null: not made yet, so empty.
  using Mapping = std::vector<std::shared_ptr<Keyspace>>;

  // Corruption when the stored order is none; Invalid when it has more databases than `count`.
  static Result<std::unique_ptr<Databases>> Open(Database& database, int count);

  int count() const { return count_; }
  std::shared_ptr<const Mapping> mapping() const;

  // Grows with every new mapping: who keeps one sees whether it is still the one.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  Status Make(int number);
  Status MakeAll();

  // What `mapping` becomes with two numbers exchanged; the row that says so is written in `work`,
  // which holds everything. Install() it when the transaction is committed.
  Result<std::shared_ptr<const Mapping>> Swap(core::LatchedTransaction& transaction,
                                              const Mapping& mapping, int a, int b);
  void Install(std::shared_ptr<const Mapping> mapping);

  // The number that means this keyspace, or -1.
  static int NumberOf(const Mapping& mapping, const Keyspace* keyspace);

 private:
  Databases(Database& database, int count) : database_(database), count_(count) {}
  Status Load();
  Status MakeLocked(int number);

  Database& database_;
  const int count_;
  std::shared_ptr<Keyspace> own_;  // "mayfly.server".

  std::atomic<std::uint64_t> generation_{1};
  std::mutex making_;       // One makes at a time.
  std::vector<int> order_;  // Guarded by making_: number -> name's number.
  mutable std::mutex mutex_;
  std::shared_ptr<const Mapping> mapping_;  // Guarded by mutex_; shared with the works that use it.
};

}  // namespace mayfly::server
