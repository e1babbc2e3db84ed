// waiting_clients.h - clients that wait for keys to change, first come first served per key.
// A waiter is entered while the transaction that found nothing still holds the latches of its keys,
// so no change is missed. A thread that commits a change to a key with waiters runs their commands
// again, oldest first, before its own reply is sent (executor_waiters.cc). Lock order: latches,
// then a waiter's mutex, then the table's mutex. The table is safe to call from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mayfly/clock.h"
#include "server/command/command_table.h"
#include "server/databases/database_key.h"
#include "wire/reply_writer.h"

namespace mayfly::server {

class Session;

// One blocked command. Shared by its session, the table and the thread that serves it.
struct Waiter {
  // Constant.
  std::weak_ptr<Session> session;
  std::uint64_t client = 0;
  bool tracks = false;  // It tracks the keys it reads.
  const CommandEntry* entry = nullptr;
  std::vector<std::string> args;
  std::vector<std::string> keys;
  int database = 0;
  ProtocolVersion version = ProtocolVersion::kResp2;
  bool null_array = true;
  bool also_removed = false;  // As in BlockRequest, as the next.
  // On a cluster: the client follows MOVED; a key or CLIENT UNBLOCK ends the wait; and what other
  // servers do for it meanwhile.
  bool redirects = false;
  bool ends_by_key = true;
  std::shared_ptr<void> work;  // Set on the session's thread, once it has begun.
  std::function<void(ReplyWriter&)> at_end;
  std::string user;  // Its rules apply when it is served; empty: no rules.

  std::mutex mutex;
  // Guarded by mutex.
  bool over = false;        // Its reply is sent or on its way; or the client is gone.
  std::uint64_t nanos = 0;  // What serving it took; waiting does not count.
};

class WaitingClients {
 public:
  void Add(const std::shared_ptr<Waiter>& waiter);
  void Remove(const std::shared_ptr<Waiter>& waiter);

  bool empty() const { return waiters_.load(std::memory_order_acquire) == 0; }
  std::size_t size() const { return waiters_; }

  bool AnyoneFor(int database, Bytes key) const;

  // The longest waiting first.
  std::vector<std::shared_ptr<Waiter>> On(const DatabaseKey& key) const;

  // Keys of this database with waiters: when all of them may have changed.
  std::vector<DatabaseKey> KeysOf(int database) const;

 private:
  using Queue = std::list<std::shared_ptr<Waiter>>;

  std::atomic<std::size_t> waiters_{0};
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::unordered_map<DatabaseKey, Queue, DatabaseKeyHash, DatabaseKeyEqual> by_key_;
  std::unordered_set<const Waiter*> keyless_;  // Which wait for something else, as WAIT does.
};

}  // namespace mayfly::server
