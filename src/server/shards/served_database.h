// served_database.h - a database whose rows clients reach, with its numbered keyspaces.
// A server alone has one. A server of a cluster has one for each shard that it owns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mayfly/database.h"
#include "server/command/transaction_source.h"
#include "server/databases/databases.h"

namespace mayfly::server {

// The references outlive it. Safe to use from any thread.
struct ServedDatabase {
  Database& database;
  TransactionSource& transactions;
  Databases& databases;

  // On a cluster. A shard that this server lost and took again has another tenure: what was
  // watched in the meantime may have been changed by others.
  std::size_t shard = 0;
  std::uint64_t tenure = 0;
};

}  // namespace mayfly::server
