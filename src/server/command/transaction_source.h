// transaction_source.h - where the executor gets its latched transactions from.
// The server on a database uses CoreTransactionSource (core_transaction_source.h); tests may bring
// their own, for example ones whose commit fails.
#pragma once

#include <memory>

#include "core/transactions/latched_transaction.h"
#include "mayfly/result.h"

namespace mayfly::server {

// Safe to call from any thread.
class TransactionSource {
 public:
  virtual ~TransactionSource() = default;

  // Waits until the keys are free; as core::BeginLatched().
  virtual Result<std::unique_ptr<core::LatchedTransaction>> Begin(const core::KeySet& scope) = 0;
};

}  // namespace mayfly::server
