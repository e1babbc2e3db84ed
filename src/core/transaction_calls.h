// transaction_calls.h - reads from a frozen state, writes into an overlay, commits under all
// latches. A commit checks each key that was read or written: its living row now must be its living
// row then, both judged at the commit's instant. So a row that died or was purged meanwhile is no
// conflict, and a row that somebody wrote, renewed or deleted is.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/calls.h"
#include "core/overlay.h"
#include "mayfly/transaction.h"

namespace mayfly::core {

class TransactionCalls final : public Transaction {
 public:
  static Result<std::unique_ptr<Transaction>> Begin(std::shared_ptr<Store> store);
  ~TransactionCalls() override;

  KeyspaceWriter& In(const Keyspace& keyspace) override;
  WallTime now() const override { return now_; }
  Status SetSavepoint() override;
  Status RollbackToSavepoint() override;
  Status Commit() override { return Commit(store_->options().durability); }
  Status Commit(Durability durability) override;
  void Rollback() override;

 private:
  class Writer;

  // What undoes one write: the key and what was pending before, if anything.
  struct Undo {
    std::string row_key;
    std::optional<Pending> before;
  };

  TransactionCalls(std::shared_ptr<Store> store, std::unique_ptr<engine::Snapshot> state,
                   WallTime now);

  Status CheckActive() const;
  Status ApplyDecision(KeyspaceState& keyspace, Bytes key, Decide decide);
  void SetPending(std::string row_key, Pending pending);
  Status CommitChanges(Durability durability, std::vector<Event>& events);
  Status CheckUnchanged(KeyspaceState& keyspace, Bytes key, WallTime now) const;
  Status PlanChange(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                    const Pending& pending) const;

  const std::shared_ptr<Store> store_;       // Shared with the database.
  std::unique_ptr<engine::Snapshot> state_;  // Null once the transaction is over.
  const WallTime now_;
  std::map<KeyspaceId, std::unique_ptr<Writer>> writers_;
  Overlay overlay_;
  ReadSet reads_;
  std::vector<Undo> undo_;
  std::vector<std::size_t> savepoints_;  // Sizes of undo_.
};

}  // namespace mayfly::core
