// plain_transaction_source.h - transactions on plain maps, one at a time, whose commit can fail.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "core/testing/plain_transaction.h"
#include "mayfly/clock.h"
#include "server/command/transaction_source.h"

namespace mayfly::server {

class PlainTransactionSource final : public TransactionSource {
 public:
  explicit PlainTransactionSource(const Clock& clock) : clock_(clock) {}

  Result<std::unique_ptr<core::LatchedTransaction>> Begin(const core::KeySet& scope) override;

  // The next commit that changes something answers IoError, and changes nothing.
  void FailNextCommit() { fail_next_ = true; }

  // Called before a wait for a latched transaction. Set it while no client does anything.
  std::function<void()> before_begin = [] {};

  // Counts of transactions begun and committed.
  std::atomic<int> begun{0};
  std::atomic<int> committed{0};

 private:
  class OneTransaction;

  const Clock& clock_;
  std::mutex latch_;  // Held by the one transaction.
  core::PlainState state_;
  std::atomic<bool> fail_next_{false};
};

}  // namespace mayfly::server
