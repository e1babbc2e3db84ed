#include "server/plain_transaction_source.h"

#include <utility>

namespace mayfly::server {

class PlainTransactionSource::OneTransaction final : public core::LatchedTransaction {
 public:
  OneTransaction(PlainTransactionSource& source, std::unique_lock<std::mutex> latch)
      : source_(source),
        latch_(std::move(latch)),
        transaction_(source.state_, source.clock_.Now()) {}

  core::TransactionKeyspace& In(const Keyspace& keyspace) override {
    return transaction_.In(keyspace);
  }
  WallTime now() const override { return transaction_.now(); }
  Mark SetMark() override { return transaction_.SetMark(); }
  void RollBack(Mark mark) override { transaction_.RollBack(mark); }
  void Release(Mark mark) override { transaction_.Release(mark); }
  void set_witness(core::CommitWitness* witness) override { transaction_.set_witness(witness); }
  const std::vector<core::ChangedKey>& changed() const override { return transaction_.changed(); }
  core::ReadCounts& read_counts() override { return transaction_.read_counts(); }

  Status Commit() override {
    Status outcome;
    if (!transaction_.changed().empty() && source_.fail_next_.exchange(false)) {
      outcome = Status::IoError("the disk is full");
    } else {
      outcome = transaction_.Commit();
      ++source_.committed;
    }
    latch_.unlock();
    return outcome;
  }

 private:
  PlainTransactionSource& source_;
  std::unique_lock<std::mutex> latch_;
  core::PlainTransaction transaction_;
};

Result<std::unique_ptr<core::LatchedTransaction>> PlainTransactionSource::Begin(
    const core::KeySet& /*scope*/) {
  before_begin();
  std::unique_lock latch(latch_);
  ++begun;
  return std::unique_ptr<core::LatchedTransaction>(
      std::make_unique<OneTransaction>(*this, std::move(latch)));
}

}  // namespace mayfly::server
