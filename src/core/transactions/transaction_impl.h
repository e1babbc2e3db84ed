// transaction_impl.h - implements Transaction: reads from a frozen state, buffers its writes, and
// commits under the latches of all its keys. A commit checks each key that was read or written: its
// living row now must be its living row then, both judged at the commit's instant. So a row that
// died or was purged meanwhile is no conflict, and a row that was written, renewed or deleted is.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "core/transactions/calls.h"
#include "core/transactions/snapshot_rows.h"
#include "core/transactions/write_buffers.h"
#include "mayfly/transaction.h"

namespace mayfly::core {

class TransactionImpl final : public Transaction {
 public:
  static Result<std::unique_ptr<Transaction>> Begin(std::shared_ptr<Store> store);
  ~TransactionImpl() override;

  KeyspaceWriter& In(const Keyspace& keyspace) override;
  WallTime now() const override { return now_; }
  Status SetSavepoint() override;
  Status RollbackToSavepoint() override;
  Status Commit() override { return Commit(store_->options().durability); }
  Status Commit(Durability durability) override;
  void Rollback() override;

  LifetimeRule RuleOf(const KeyspacePolicy& policy) const { return store_->RuleOf(policy); }

  // The keyspace with collections and their members.
  TransactionKeyspace& SpaceOf(const Keyspace& keyspace);

 private:
  class Writer;

  TransactionImpl(std::shared_ptr<Store> store, std::shared_ptr<OpenStates::State> state,
                  WallTime now);

  Writer& WriterOf(const Keyspace& keyspace);
  Status CommitChanges(Durability durability, std::vector<Event>& events);

  const std::shared_ptr<Store> store_;  // Shared with the database.
  const WallTime now_;
  SnapshotRows rows_;
  WriteBuffers buffers_;
  std::map<KeyspaceId, std::unique_ptr<Writer>> writers_;
};

}  // namespace mayfly::core
