// optimistic_transaction.h - a public Transaction behind the interface of a latched one, so that
// one player can play both.
#pragma once

#include <memory>
#include <vector>

#include "core/transactions/latched_transaction.h"
#include "mayfly/database.h"

namespace mayfly {

class OptimisticTransaction final : public core::LatchedTransaction {
 public:
  explicit OptimisticTransaction(std::unique_ptr<Transaction> transaction)
      : transaction_(std::move(transaction)) {}

  core::TransactionKeyspace& In(const Keyspace& keyspace) override {
    return core::SpaceOf(*transaction_, keyspace);
  }
  WallTime now() const override { return transaction_->now(); }
  Mark SetMark() override {
    EXPECT_TRUE(transaction_->SetSavepoint().ok());
    return savepoints_++;
  }
  // A savepoint is gone once it was rolled back to; a mark stays.
  void RollBack(Mark mark) override {
    for (; savepoints_ > mark; --savepoints_) {
      EXPECT_TRUE(transaction_->RollbackToSavepoint().ok());
    }
    SetMark();
  }
  void Release(Mark) override {}  // Savepoints stay, and are rolled back with an earlier one.
  const std::vector<core::ChangedKey>& changed() const override { return changed_; }
  core::ReadCounts& read_counts() override { return read_counts_; }
  Status Commit() override { return transaction_->Commit(); }

 private:
  const std::unique_ptr<Transaction> transaction_;
  std::size_t savepoints_ = 0;
  std::vector<core::ChangedKey> changed_;  // Public transactions do not tell.
  core::ReadCounts read_counts_;
};

}  // namespace mayfly
