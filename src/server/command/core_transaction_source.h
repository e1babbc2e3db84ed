// core_transaction_source.h - latched transactions on an open database.
#pragma once

#include <memory>

#include "mayfly/database.h"
#include "server/command/transaction_source.h"

namespace mayfly::server {

class CoreTransactionSource final : public TransactionSource {
 public:
  // The database must outlive it.
  explicit CoreTransactionSource(Database& database) : database_(database) {}

  Result<std::unique_ptr<core::LatchedTransaction>> Begin(const core::KeySet& scope) override {
    return core::BeginLatched(database_, scope);
  }

 private:
  Database& database_;
};

}  // namespace mayfly::server
