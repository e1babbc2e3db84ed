// definitions.h - the definitions of tables in one shard, and how all shards come to have the same.
// Every shard has the tables of the database in its own catalog. One of them, the home shard, orders
// the changes, of which one is under way at a time:
//
//   home:  change, number n | run it; refused: forget it | all others run n | all have: forget it
//   shard: has run 1..n     | n+1 arrives: run it, remember n+1            | n again: nothing to do
//
// A change is the request itself. Shards with the same definitions do the same with it, so a server
// that takes the home shard over goes on where the last one was. The number keeps a late message of an
// earlier owner from undoing a later change.
// Rows, in the shard's keyspace "tables.changes":
//   done    the number of the last change that the shard has run, u64 big endian
//   number  of the last change that was begun. Home shard only, as is the next.
//   change  the one under way: {"Number", "Target", "Json", "Description" of a table that is deleted}
// Threads: calls of one object one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mayfly/database.h"
#include "mayfly/keyspace.h"
#include "mayfly/result.h"

namespace mayfly::cluster {

struct DefinitionChange {
  std::uint64_t number = 0;
  std::string target;  // "DynamoDB_20120810.CreateTable".
  std::string json;
  std::string description = {};  // Of DeleteTable: the table as it was, in JSON.

  std::string_view operation() const;  // "CreateTable".
  std::string table() const;           // That it is about.
};

class Definitions {
 public:
  explicit Definitions(Database& database) : database_(database) {}

  // The change under way. Home shard only, as are the next three.
  Result<std::optional<DefinitionChange>> UnderWay();

  // Stores it under a new number, which it returns. There is none under way.
  Result<std::uint64_t> Begin(const DefinitionChange& change);

  // The home shard has run it; `description` of a table that is deleted.
  Status NoteBegun(const DefinitionChange& change);

  // Forgets it, unless another one is under way.
  Status End(std::uint64_t number);

  // The number of the last change that this shard has run.
  Result<std::uint64_t> Done();
  Status NoteDone(std::uint64_t number);

 private:
  Status Open(bool create);  // NotFound: there is none yet.
  Result<std::uint64_t> NumberIn(Bytes row);

  Database& database_;
  std::shared_ptr<Keyspace> rows_;  // Null: not opened yet.
};

}  // namespace mayfly::cluster
