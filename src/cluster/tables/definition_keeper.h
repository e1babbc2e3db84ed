// definition_keeper.h - a thread that brings changes of definitions to all shards, while the home shard
// is here, and does the upkeep of the tables of all shards that are here.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "cluster/tables/shard_calls.h"
#include "cluster/tables/shard_tables.h"

namespace mayfly::cluster {

class DefinitionKeeper {
 public:
  // Both must outlive it; no other may be on the same tables.
  DefinitionKeeper(ShardTables& tables, ShardCalls& calls);
  ~DefinitionKeeper();
  DefinitionKeeper(const DefinitionKeeper&) = delete;
  DefinitionKeeper& operator=(const DefinitionKeeper&) = delete;

 private:
  void Run();
  void Wake();
  bool Settle(const DefinitionChange& change);  // Whether all shards have it.

  ShardTables& tables_;
  ShardCalls& calls_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool has_change_ = false;  // Guarded by mutex_, as the next.
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace mayfly::cluster
