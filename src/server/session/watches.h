// watches.h - the keys that clients WATCH, and whether they were changed.
// Keys are watched, touched and checked while their latches are held: WATCH registers within a
// latched transaction on its keys, a writer touches before its transaction commits, and EXEC checks
// within a latched transaction that has the watched keys too. So there is no gap between a change
// and its mark. A commit that fails after it touched makes an EXEC fail that need not have:
// harmless. Death leaves no mark; EXEC checks whether keys alive at WATCH are still alive
// (executor_exec.cc). Safe to call from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"
#include "server/databases/database_key.h"

namespace mayfly::server {

// One key watched by one client.
struct Watch {
  Watch(DatabaseKey watched, bool lived, std::uint64_t in_tenure)
      : key(std::move(watched)), alive(lived), tenure(in_tenure) {}

  const DatabaseKey key;
  const bool alive;            // At WATCH.
  const std::uint64_t tenure;  // Of its database: ServedDatabase.
  std::atomic<bool> touched{false};
};

class Watches {
 public:
  // Shared by the table and the client.
  std::shared_ptr<Watch> Add(DatabaseKey key, bool alive, std::uint64_t tenure);
  void Remove(const std::shared_ptr<Watch>& watch);

  bool empty() const { return count_.load(std::memory_order_acquire) == 0; }
  std::size_t size() const { return count_; }

  void Touch(int database, Bytes key);

  // Touches those in this database for which `changed` is true: when it is emptied, or swapped.
  void TouchIf(int database, FunctionRef<bool(const Watch&)> changed);

 private:
  using Watchers = std::vector<std::shared_ptr<Watch>>;

  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;
  // Guarded by mutex_.
  std::unordered_map<DatabaseKey, Watchers, DatabaseKeyHash, DatabaseKeyEqual> by_key_;
};

}  // namespace mayfly::server
