// latched_transaction.h - a transaction over many keys that holds their latches until it ends.
// No other thread changes the keys it was begun with before it ends, so it can rely on what it read
// and never conflicts. Keys it only reads are shared with other readers. Everything happens at one
// instant, now(). Nothing is written before Commit(), which applies everything as one batch or
// nothing. A Transaction, by contrast, holds no latches and may have to begin again.
// Threads: one at a time. The thread that holds a latched transaction must make no other call on
// the database, except for statistics and the list of keyspaces.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/store/death_listener.h"
#include "core/transactions/transaction_keyspace.h"
#include "mayfly/durability.h"

namespace mayfly {
class Database;
}

namespace mayfly::core {

// Hears of a transaction's commit while its latches are still held: so witnesses of transactions on
// the same key hear of them in the order of the commits.
class CommitWitness {
 public:
  virtual ~CommitWitness() = default;
  virtual void Committed() = 0;
};

class LatchedTransaction {
 public:
  // Releases the latches. Discards changes that were not committed.
  virtual ~LatchedTransaction() = default;
  LatchedTransaction(const LatchedTransaction&) = delete;
  LatchedTransaction& operator=(const LatchedTransaction&) = delete;

  // The keyspace within this transaction. Lives as long as the transaction.
  virtual TransactionKeyspace& In(const Keyspace& keyspace) = 0;

  virtual WallTime now() const = 0;

  // The instant at which rows and members are living or dead to it: now(), unless it was begun with
  // another (KeySet::judged_at).
  virtual WallTime judged_at() const { return now(); }

  // A savepoint. Marks rise within a transaction; rolling back to one ends the later ones.
  using Mark = std::size_t;
  virtual Mark SetMark() = 0;
  virtual void RollBack(Mark mark) = 0;

  // Ends the mark and the later ones, and keeps the changes since.
  virtual void Release(Mark mark) = 0;

  // Whether anything was written or deleted since the mark, and not rolled back.
  virtual bool ChangedSince(Mark /*mark*/) const { return true; }

  // Called by Commit(), also when nothing was changed. Must outlive the transaction; null: none.
  virtual void set_witness(CommitWitness* /*witness*/) {}

  // Takes what it has found dead since the last call. Empty unless the database has a listener.
  virtual std::vector<Death> TakeMetDead() { return {}; }

  // Rows that were written, deleted or given another deadline so far, once each, without those of
  // cleared keyspaces. Holds until the next change, or the end of the transaction.
  virtual const std::vector<ChangedKey>& changed() const = 0;

  // About how much memory its writes take until it ends, rolled back ones included. For callers
  // that bound what one client may hold.
  virtual std::size_t buffered_bytes() const { return 0; }

  // Nothing is counted until the caller sets `left`.
  virtual ReadCounts& read_counts() = 0;

  // Applies everything, releases the latches, then delivers events. A transaction that changed
  // nothing costs nothing. After any outcome the transaction is over.
  virtual Status Commit() = 0;

 protected:
  LatchedTransaction() = default;
};

// Memory that transactions use one after the other, so that each need not allocate its own.
class TransactionMemory {
 public:
  virtual ~TransactionMemory() = default;
  TransactionMemory(const TransactionMemory&) = delete;
  TransactionMemory& operator=(const TransactionMemory&) = delete;

 protected:
  TransactionMemory() = default;
};

std::unique_ptr<TransactionMemory> NewTransactionMemory();

// The keys a latched transaction latches.
struct KeySet {
  struct Key {
    const Keyspace* keyspace;
    Bytes key;           // Needed until the transaction has begun.
    bool writes = true;  // False: a call that would change the key is refused as Internal.
  };
  std::vector<Key> keys = {};
  bool everything = false;  // All keys of all keyspaces: for callers that do not know their keys.
  bool walks = false;       // Scans or counts rows. Unlatched rows are read from one snapshot taken
                            // before now(), so that no purge shows a part of what died together.
  // For changes that another server has decided, before their deadlines: what was living at this
  // instant is living, and a lifetime that ends behind it is written, even if it has passed by now.
  // Purges of these keyspaces must be held. Nothing: now().
  std::optional<WallTime> judged_at = std::nullopt;
  TransactionMemory* memory =
      nullptr;  // May be null. Of one transaction at a time, and outlives it.
};

// While purges of a keyspace are held, its dead rows and members stay until a caller removes them;
// readers do not see them. Not stored: each run of the process says it again.
void HoldPurges(Database& database, const Keyspace& keyspace, bool held);

// Has the database report deaths to this listener from now on; null: to none. Called while the
// caller holds a latched transaction on everything, or before there are other threads.
void ListenToDeaths(Database& database, DeathListener* listener);

// Begins a latched transaction; waits for the latches. Invalid when the database is closed.
Result<std::unique_ptr<LatchedTransaction>> BeginLatched(Database& database, const KeySet& scope);

}  // namespace mayfly::core
