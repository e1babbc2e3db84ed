// transaction_impl.h - implements Transaction: reads from a frozen state, writes into an overlay,
// commits under the latches of all its keys. A commit checks each key that was read or written: its
// living row now must be its living row then, both judged at the commit's instant. So a row that
// died or was purged meanwhile is no conflict, and a row that was written, renewed or deleted is.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/reads/overlay.h"
#include "core/transactions/calls.h"
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

 private:
  class Writer;

  // Undoes one write: its key, and the write that was pending before, if any.
  struct Undo {
    std::string row_key;
    std::optional<WallTime> late;  // The timestamp of a late write.
    std::optional<Pending> before;
  };

  // Late writes: a newer write of the key existed before them. By row key and timestamp.
  using Late = std::map<std::pair<std::string, WallTime>, Pending>;

  TransactionImpl(std::shared_ptr<Store> store, std::shared_ptr<OpenStates::State> state,
                  WallTime now);

  Status CheckActive() const;
  Status ApplyDecision(KeyspaceState& keyspace, Bytes key, Decide decide);
  View ViewOf(KeyspaceState& keyspace);
  static Status SetCollection(const RowView& row, Pending& pending);
  Result<std::optional<WallTime>> NewestOf(KeyspaceState& keyspace, Bytes key);
  void SetPending(std::string row_key, Pending pending);
  void SetLate(std::string row_key, Pending pending);
  Status CommitChanges(Durability durability, std::vector<Event>& events);
  Status CheckUnchanged(KeyspaceState& keyspace, Bytes key, const engine::Snapshot& then,
                        const ReadSet::Seen& seen, const KeyState& today, WallTime now) const;
  Status CheckStillInTime(WallTime now) const;
  Status PlanLateChanges(CommitPlan& plan) const;

  const std::shared_ptr<Store> store_;        // Shared with the database.
  std::shared_ptr<OpenStates::State> state_;  // Shared with cursors. Null once it is over.
  const WallTime now_;
  std::map<KeyspaceId, std::unique_ptr<Writer>> writers_;
  Overlay overlay_;
  Late late_;
  ReadSet reads_;
  std::vector<Undo> undo_;
  std::vector<std::size_t> savepoints_;  // Sizes of undo_.
};

}  // namespace mayfly::core
