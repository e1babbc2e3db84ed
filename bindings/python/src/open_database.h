// open_database.h - a database and what is open in it, as Python objects use them.
// In Python anything may be used after anything was closed, from any thread, and objects go in any
// order. So every object holds its OpenDatabase, and every call passes its gate.
// Invariants: (1) Calls hold the gate shared; Close() holds it alone, destroys what is open and
// closes the database. (2) Locks are taken after the GIL is released and given back before it is
// taken, and no Python code runs under them. (3) In a child of fork() no lock is taken.
// Lock order: database gate, scope, cursor, registry.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <utility>

#include "errors.h"
#include "mayfly/database.h"
#include "released_gil.h"

namespace mayfly::python {

// Counts the forks that led to this process: differs between a parent and its children.
std::uint64_t ForkGeneration();

class OpenDatabase;

// Something that must be gone before the database can close.
class Dependent {
 public:
  // The order in which Close() destroys what is open.
  enum class Rank : std::uint8_t { kCursor, kOther };

  explicit Dependent(Rank rank) : rank_(rank) {}
  virtual ~Dependent() = default;
  Dependent(const Dependent&) = delete;
  Dependent& operator=(const Dependent&) = delete;

  Rank rank() const { return rank_; }

  // Destroys what it holds. The gate is held: alone by Close(), or shared, and then with
  // scope_mutex().
  virtual void Shut() = 0;

  // Of the scope that it is in; null: in none.
  virtual std::shared_mutex* scope_mutex() { return nullptr; }

 private:
  const Rank rank_;
};

class OpenDatabase {
 public:
  // `clock` keeps a clock made in Python alive; null: the system's.
  OpenDatabase(std::unique_ptr<Database> database, std::shared_ptr<ManualClock> clock,
               bool any_instant);

  Database& get() { return *database_; }

  // Whether calls may state instants that look like another unit.
  bool any_instant() const { return any_instant_; }

  // A call's way in. Take it with the GIL released; see Enter().
  std::shared_lock<std::shared_mutex> Lock() { return std::shared_lock(gate_); }

  // Invalid in a child of fork(), and once closed. Needs the gate for the latter.
  Status CheckProcess() const;
  Status CheckOpen() const;

  Status Close();
  bool closed() const { return closed_; }

  // Both under the gate.
  void Register(Dependent& dependent);
  void Unregister(Dependent& dependent);

  // For destructors of dependents, with the GIL: shuts it and forgets it. In a child of fork()
  // nothing: there, destroying is enough.
  void Release(Dependent& dependent);

 private:
  const std::uint64_t generation_ = ForkGeneration();
  const bool any_instant_;
  std::shared_ptr<ManualClock> clock_;
  std::unique_ptr<Database> database_;
  std::shared_mutex gate_;
  bool closed_ = false;  // Guarded by gate_.
  std::mutex registry_;
  std::set<std::pair<Dependent::Rank, Dependent*>> open_;  // Guarded by registry_.
};

// A transaction or a snapshot.
class Scope : public Dependent {
 public:
  Scope(std::shared_ptr<OpenDatabase> database, std::unique_ptr<Transaction> transaction);
  Scope(std::shared_ptr<OpenDatabase> database, std::unique_ptr<Snapshot> snapshot);
  ~Scope() override { database_->Release(*this); }

  OpenDatabase& database() { return *database_; }
  Transaction* transaction() { return transaction_.get(); }
  Snapshot* snapshot() { return snapshot_.get(); }

  // Reads of a snapshot share it; all else is alone.
  std::shared_mutex& mutex() { return mutex_; }
  bool is_transaction() const { return is_transaction_; }

  // Under the mutex. Invalid when it is over.
  Status CheckOpen() const;

  void Shut() override;

  // The cursors in it, which End() destroys first. Under the mutex, shared or alone.
  void AddCursor(Dependent& cursor);
  void RemoveCursor(Dependent& cursor);

  // Alone in the mutex: destroys everything.
  void End();

 private:
  const std::shared_ptr<OpenDatabase> database_;
  const bool is_transaction_;
  std::shared_mutex mutex_;
  std::mutex cursors_mutex_;
  std::set<Dependent*> cursors_;  // Guarded by cursors_mutex_.
  std::unique_ptr<Transaction> transaction_;
  std::unique_ptr<Snapshot> snapshot_;
};

// Runs `call` in the open database, or returns the Status that says why not. Releases the GIL.
template <typename Call>
auto Enter(OpenDatabase& database, const Call& call) -> decltype(call(database.get())) {
  const ReleasedGil released;
  if (Status status = database.CheckProcess(); !status.ok()) return status;
  const auto lock = database.Lock();
  if (Status status = database.CheckOpen(); !status.ok()) return status;
  return call(database.get());
}

// The same within a scope, alone in it.
template <typename Call>
auto EnterAlone(Scope& scope, const Call& call) -> decltype(call(scope)) {
  return Enter(scope.database(), [&](Database&) -> decltype(call(scope)) {
    const std::unique_lock lock(scope.mutex());
    if (Status status = scope.CheckOpen(); !status.ok()) return status;
    return call(scope);
  });
}

}  // namespace mayfly::python
