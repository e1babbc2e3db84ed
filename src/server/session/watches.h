// watches.h - which keys transactions wait upon, and whether somebody changed them.
// A key is watched, touched, and looked at again by EXEC while its latch is held: WATCH registers
// within a latched transaction on its keys, a writer touches before its transaction commits, and
// EXEC asks within a latched transaction that has the watched keys too. So there is no gap between
// a change and the mark it leaves. A commit that fails after it touched makes an EXEC fail that
// need not have: harmless. Death leaves no mark; EXEC asks whether what lived at WATCH lives
// (transaction_run.cc). Safe to call from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"
#include "server/databases/database_key.h"

namespace mayfly::server {

// What one client watches.
struct Watch {
  explicit Watch(DatabaseKey watched, bool lived) : key(std::move(watched)), alive(lived) {}

  const DatabaseKey key;
  const bool alive;  // At WATCH.
  std::atomic<bool> touched{false};
};

class Watches {
 public:
  // Shared by the table and the client.
  std::shared_ptr<Watch> Add(DatabaseKey key, bool alive);
  void Remove(const std::shared_ptr<Watch>& watch);

  bool empty() const { return count_.load(std::memory_order_acquire) == 0; }
  std::size_t size() const { return count_; }

  void Touch(int database, Bytes key);

  // Those in this database for which `changed` says so: when it is emptied, or swapped.
  void TouchIf(int database, FunctionRef<bool(const Watch&)> changed);

 private:
  using Watchers = std::vector<std::shared_ptr<Watch>>;

  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;
  // Guarded by mutex_.
  std::unordered_map<DatabaseKey, Watchers, DatabaseKeyHash, DatabaseKeyEqual> by_key_;
};

}  // namespace mayfly::server
