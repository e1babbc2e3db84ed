// transact_token.h - which transactions have been done, for callers who ask twice.
//   keyspace "tables.tokens": token -> format byte | hash of the actions (16 bytes) | bytes of each
// A row is written in the transaction it is about, so it is there if and only if that happened, and
// it dies by itself.
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
  // Of these actions. The database keeps the keyspace; it is made when the first token comes.
  static Result<TransactToken> Of(Database& database, const std::string& token,
                                  const std::vector<TransactWrite>& actions);

  // What it said then; nothing: the token is new. Conflict: it belongs to other actions.
  Result<std::optional<TransactOutcome>> Known(Transaction& transaction) const;

  // For ten minutes.
  Status Remember(Transaction& transaction, const TransactOutcome& outcome) const;

 private:
  TransactToken(std::shared_ptr<Keyspace> rows, std::string token, std::string hash)
      : rows_(std::move(rows)), token_(std::move(token)), hash_(std::move(hash)) {}

  std::shared_ptr<Keyspace> rows_;  // Shared with the database.
  std::string token_;
  std::string hash_;
};

}  // namespace mayfly::tables
