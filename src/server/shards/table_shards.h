// table_shards.h - operations on the tables of this server's shards. The server knows no tables; the
// program that serves both provides this.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace mayfly::server {

// An operation, and its answer.
struct TableCall {
  std::string target;  // "DynamoDB_20120810.GetItem".
  std::string json;
  int status = 0;  // Of HTTP; 0: it has not run.
  std::string reply = {};
};

// Safe to call from any thread.
class TableShards {
 public:
  virtual ~TableShards() = default;

  // Runs them on the tables of a shard, in no order. False when the shard is not here. Also otherwise
  // some may not have run, since the shard has gone meanwhile.
  virtual bool Run(std::size_t shard, std::span<TableCall> calls) = 0;

  // As ShardListener::ShardGoes(). When the calls under way have ended, nothing holds its database.
  virtual void ShardGoes(std::size_t shard) = 0;
};

}  // namespace mayfly::server
