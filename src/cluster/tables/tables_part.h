// tables_part.h - the parts of a server of a cluster that serve tables.
//   dynamo::Service -> ClusterTables -> ShardCalls -> ShardTables, here or by CLUSTER TABLE there
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "cluster/tables/cluster_tables.h"
#include "cluster/tables/definition_keeper.h"
#include "cluster/tables/shard_calls.h"
#include "cluster/tables/shard_tables.h"

namespace mayfly::cluster {

class TablesPart {
 public:
  // All must outlive it. `patience`: cluster-patience.
  TablesPart(server::ShardDirectory& directory, server::PeerCalls& peers, const Clock& clock,
             const Clock& real_clock, Logger& logger, ShardTablesOptions options,
             const std::atomic<std::int64_t>& patience)
      : shards_(directory, clock, logger, std::move(options)),
        calls_(directory, peers, shards_, real_clock, patience) {}

  // For the server: what its peers ask of its shards.
  server::TableShards& shards() { return shards_; }

  // For the service of DynamoDB's API.
  dynamo::OperationRunner& runner() { return runner_; }

  // From now on definitions that change reach all shards. When the server has joined the cluster.
  void Start() { keeper_ = std::make_unique<DefinitionKeeper>(shards_, calls_); }

 private:
  ShardTables shards_;
  ShardCalls calls_;
  ClusterTables runner_{calls_};
  std::unique_ptr<DefinitionKeeper> keeper_;  // Null before Start().
};

}  // namespace mayfly::cluster
