// cluster_tables.h - DynamoDB's API on all shards of a cluster, for a server of it.
// A request about items goes to the shard of its partition key, here or at another server. One about
// several shards is split, and one about all walks them or asks each; the replies become one. Which
// operation does what is in table_rules.cc.
// An answer is whole or an error; but a batch leaves what it could not do unprocessed, as DynamoDB's
// do.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/tables/schema_cache.h"
#include "cluster/tables/shard_calls.h"
#include "cluster/tables/table_rules.h"
#include "dynamo/operations/operation_runner.h"

namespace mayfly::cluster {

class ClusterTables final : public dynamo::OperationRunner {
 public:
  // Must outlive it.
  explicit ClusterTables(ShardCalls& calls) : calls_(calls), schemas_(calls) {}

  bool Takes(const dynamo::Operation& operation) const override;
  void Run(std::span<dynamo::RunnerCall> calls) override;

 private:
  struct Asked;

  void RunWave(const std::vector<dynamo::RunnerCall*>& wave);
  bool Route(Asked& asked);
  void RunIndexQuery(const Asked& asked);
  void RunRouted(std::vector<Asked>& asked);
  void RunBatch(const Asked& asked);
  void RunScan(const Asked& asked);
  server::TableCall ScanShard(const dynamo::Operation& scan, std::size_t shard,
                              const dynamo::json::object& request,
                              std::optional<std::int64_t> limit);
  void RunDescribe(const Asked& asked);
  void RunChange(const Asked& asked);
  void AwaitTable(const Asked& asked);

  ShardCalls& calls_;
  SchemaCache schemas_;
};

}  // namespace mayfly::cluster
