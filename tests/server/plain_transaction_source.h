// plain_transaction_source.h - works on plain maps, one at a time, that can be told to fail.
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

  // Called by whoever is about to wait for a latched transaction. To be set while no client does
  // anything.
  std::function<void()> before_begin = [] {};

  // Transactions that were begun and those that were committed.
  std::atomic<int> begun{0};
  std::atomic<int> committed{0};

 private:
  class OneTransaction;

  const Clock& clock_;
  std::mutex latch_;  // Held by the one transaction there is.
  core::PlainState state_;
  std::atomic<bool> fail_next_{false};
};

}  // namespace mayfly::server
