// shard_tables.h - the tables of this server's shards.
// Each shard's database has tables of its own, unchanged, with a service of DynamoDB's API on them.
// They are opened when they are first needed and let go with the shard. A request names a shard; it
// runs there only if the shard's own definitions say that its items belong there (kStaleRoute).
// Operations that change definitions are begun here at the home shard; see definitions.h.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "cluster/tables/definitions.h"
#include "cluster/tables/statuses.h"
#include "dynamo/service.h"
#include "mayfly/clock.h"
#include "mayfly/logger.h"
#include "server/shards/shard_directory.h"
#include "server/shards/table_shards.h"

namespace mayfly::cluster {

// Calls between servers, beside DynamoDB's.
// {"TableName", "IndexName"} -> the key schema, or 404.
inline constexpr const char* kSchemaTarget = "Cluster.Schema";
// A Query of a global index -> its page in this shard alone.
inline constexpr const char* kIndexQueryTarget = "Cluster.IndexQuery";
// {"Number", "Target", "Json"} -> {"Settled": whether no upkeep is left}
inline constexpr const char* kFollowTarget = "Cluster.Follow";

struct ShardTablesOptions {
  std::string region = {};  // Of ARNs.
};

class ShardTables final : public server::TableShards {
 public:
  // All must outlive it; no call may be under way when it is destroyed.
  ShardTables(server::ShardDirectory& directory, const Clock& clock, Logger& logger,
              ShardTablesOptions options);
  ~ShardTables() override;

  bool Run(std::size_t shard, std::span<server::TableCall> calls) override;
  void ShardGoes(std::size_t shard) override;

  // Called, on any thread, when a change of definitions has begun here. Set before all calls.
  void OnChange(std::function<void()> heard) { on_change_ = std::move(heard); }

  // The change under way, if the home shard is here.
  std::optional<DefinitionChange> ChangeUnderWay();

  // All shards have it.
  void EndChange(std::uint64_t number);

  // Does what is due in the background in the tables of the shards here.
  void RunUpkeep();

 private:
  struct Open;
  class Schemas;

  // Null: the shard is not here, or its tables cannot be opened.
  std::shared_ptr<Open> Use(std::size_t shard);
  std::shared_ptr<Open> UseIfItHasTables(const server::ServedDatabase& data);
  bool IsHere(const server::ServedDatabase& data) const;

  void RunOne(Open& open, server::TableCall& call);
  void Answer(Open& open, std::span<server::TableCall* const> calls);
  bool BelongsHere(Open& open, std::string_view operation, const std::string& json);
  void QueryIndex(Open& open, server::TableCall& call);
  void Change(Open& open, server::TableCall& call);
  void Follow(Open& open, server::TableCall& call);
  static void Schema(Open& open, server::TableCall& call);
  void ShowUnsettled(Open& open, server::TableCall& call);

  server::ShardDirectory& directory_;
  const Clock& clock_;
  Logger& logger_;
  const ShardTablesOptions options_;
  std::function<void()> on_change_;
  std::array<std::mutex, 16> opening_;  // Tables are opened once; by shard. Before mutex_.
  std::mutex mutex_;
  std::map<std::size_t, std::shared_ptr<Open>> open_;  // Guarded by mutex_; shared with calls.
};

}  // namespace mayfly::cluster
