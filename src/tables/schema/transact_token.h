// transact_token.h - remembers committed transactions by token, so that a repeated call has no
// effect.
//   keyspace "tables.tokens": token -> format byte | hash of the actions (16 bytes) | bytes of each
// A row is written in the transaction it is about, so it exists if and only if that was committed,
// and it dies by its deadline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mayfly/database.h"
#include "mayfly/result.h"
#include "mayfly/tables.h"

namespace mayfly::tables {

class TransactToken {
 public:
  // For these actions. The keyspace is created with the first token.
  static Result<TransactToken> Of(Database& database, const std::string& token,
                                  const std::vector<TransactWrite>& actions);

  // The earlier outcome; nothing: the token is new. Conflict: it belongs to other actions.
  Result<std::optional<TransactOutcome>> Known(Transaction& transaction) const;

  // Stores the outcome for ten minutes.
  Status Remember(Transaction& transaction, const TransactOutcome& outcome) const;

 private:
  TransactToken(std::shared_ptr<Keyspace> rows, std::string token, std::string hash)
      : rows_(std::move(rows)), token_(std::move(token)), hash_(std::move(hash)) {}

  std::shared_ptr<Keyspace> rows_;  // Shared with the database.
  std::string token_;
  std::string hash_;
};

}  // namespace mayfly::tables
