// latched_transaction_impl.h - a LatchedTransaction over a store: held keys and write buffers.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/transactions/held_keys.h"
#include "core/transactions/latched_rows.h"
#include "core/transactions/latched_transaction.h"
#include "core/transactions/write_buffers.h"

namespace mayfly::core {

class LatchedTransactionImpl final : public LatchedTransaction {
 public:
  using Target = HeldKeys::Target;

  // Ignores `targets` when `everything` is set. The store, and the memory if one is given, must
  // outlive the transaction.
  static Result<std::unique_ptr<LatchedTransactionImpl>> Begin(
      Store& store, std::span<const Target> targets, bool everything, bool walks = false,
      DraftMemory* memory = nullptr, std::optional<WallTime> judged_at = {});
  ~LatchedTransactionImpl() override { buffers_.EndStaging(/*committed=*/false); }

  TransactionKeyspace& In(const Keyspace& keyspace) override { return buffers_.In(keyspace); }
  WriteBuffer& In(KeyspaceState& state) { return buffers_.In(state, nullptr); }
  WallTime now() const override { return now_; }
  WallTime judged_at() const override { return buffers_.now(); }
  Mark SetMark() override { return buffers_.SetMark(); }
  void RollBack(Mark mark) override { buffers_.RollBack(mark); }
  void Release(Mark mark) override { buffers_.Release(mark); }
  bool ChangedSince(Mark mark) const override { return buffers_.ChangedSince(mark); }
  std::vector<Death> TakeMetDead() override { return buffers_.TakeMetDead(); }
  void set_witness(CommitWitness* witness) override { witness_ = witness; }
  const std::vector<ChangedKey>& changed() const override { return buffers_.changed(); }
  ReadCounts& read_counts() override { return buffers_.read_counts(); }
  std::size_t buffered_bytes() const override { return buffers_.buffered_bytes(); }
  Status Commit() override { return Commit(store_.options().durability); }
  Status Commit(Durability durability);

 private:
  LatchedTransactionImpl(Store& store, DraftMemory* memory)
      : store_(store), held_(store), rows_(store, held_), buffers_(store, rows_, memory) {}

  void End(bool committed);

  Store& store_;
  HeldKeys held_;
  LatchedRows rows_;
  WriteBuffers buffers_;
  WallTime now_;
  CommitWitness* witness_ = nullptr;
  bool over_ = false;
};

}  // namespace mayfly::core
