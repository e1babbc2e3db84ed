// transaction.h - many calls as one.
// A transaction sees the database as it was when it began, at the instant it began, plus its own
// writes. Commit applies all of them as one batch, or none: Conflict when somebody changed a row
// that it read or wrote. Rows that only died, or were purged, are not changed by that: expiry never
// breaks a transaction. Ranges are not watched: a row that appears in a range it walked is no
// conflict. Lifetimes::For counts from the commit. Until then nothing of it is anywhere but in
// memory: a transaction that rolls back leaves no trace. One thread at a time.
#pragma once

#include "mayfly/durability.h"
#include "mayfly/keyspace.h"

namespace mayfly {

class Transaction {
 public:
  virtual ~Transaction() = default;  // Rolls back what was not committed.
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // The keyspace as this transaction sees and changes it. Lives as long as the transaction.
  virtual KeyspaceWriter& In(const Keyspace& keyspace) = 0;

  // The frozen instant.
  virtual WallTime now() const = 0;

  // Marks a point to come back to. Savepoints nest.
  virtual Status SetSavepoint() = 0;

  // Undoes everything since the last savepoint and forgets that savepoint. Invalid when there is
  // none.
  virtual Status RollbackToSavepoint() = 0;

  // Conflict: nothing was written; begin again. After any outcome the transaction is over. Without
  // a word on it, the database's durability.
  virtual Status Commit() = 0;
  virtual Status Commit(Durability durability) = 0;

  // Ends it without a trace.
  virtual void Rollback() = 0;

 protected:
  Transaction() = default;
};

// A frozen state at a frozen instant. What it saw alive stays alive for it. Keep it short: what it
// shows cannot be given back to the disk. Safe from any thread.
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
