// transaction.h - atomic groups of calls, and snapshots.
// A transaction sees the database as it was when it began, at the instant it began, plus its own
// writes. Commit applies all writes as one batch, or none: Conflict when another writer changed a
// row that it read or wrote. Expiry and purging are no such change: they never make a transaction
// fail, unless it changes a collection (types.h) that has died by then. Ranges of rows are not
// watched: a row that appears in a range it walked is no conflict. Ranges of members are. A
// transaction that wrote nothing does not conflict. Lifetime::For() counts from the commit. Until
// then its writes exist only in memory: a transaction that rolls back leaves no trace on disk. One
// thread at a time.
#pragma once

#include "mayfly/durability.h"
#include "mayfly/keyspace.h"

namespace mayfly {

class Transaction {
 public:
  virtual ~Transaction() = default;  // Rolls back what was not committed.
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // The keyspace as this transaction sees and changes it. Lives as long as the transaction. A
  // keyspace of another database ends the process.
  virtual KeyspaceWriter& In(const Keyspace& keyspace) = 0;

  // The frozen instant.
  virtual WallTime now() const = 0;

  // Marks a point to come back to. Savepoints nest.
  virtual Status SetSavepoint() = 0;

  // Undoes everything since the last savepoint and forgets that savepoint. Invalid when there is
  // none.
  virtual Status RollbackToSavepoint() = 0;

  // Writes everything as one batch. Conflict: nothing was written; begin again. After any outcome
  // the transaction is over. Without an argument, the database's durability applies.
  virtual Status Commit() = 0;
  virtual Status Commit(Durability durability) = 0;

  // Ends the transaction; nothing is written.
  virtual void Rollback() = 0;

 protected:
  Transaction() = default;
};

// A frozen state at a frozen instant: a row alive at that instant stays visible in it. Keep it
// short: the space of rows that it shows cannot be reclaimed. Safe from any thread.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  // The keyspace as it was. Lives as long as the snapshot.
  virtual const KeyspaceReader& In(const Keyspace& keyspace) = 0;

  virtual WallTime now() const = 0;

 protected:
  Snapshot() = default;
};

}  // namespace mayfly
