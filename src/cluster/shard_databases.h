// shard_databases.h - the shards of this server as databases, for the server of the Redis protocol.
// The node (engine/cluster/node) says which shards are here and gives an engine for each. Core's
// database is opened on it, and knows nothing of other shards; then the server hears that the shard
// has come.
//
//   node: OnGained --> a lane opens the database --> server: ShardComes --> found
//   node: OnDraining, OnLost --> not found --> a lane: ShardGoes --> last use ends --> closed
//
// Invariants: those of server/shards/shard_directory.h, and: a shard that drains is reported as drained
// when its database is closed.
// Threads: any, except that Join(), Leave() and the destructor must be alone.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "cluster/clock_comparison.h"
#include "cluster/lanes.h"
#include "engine/cluster/node/cluster_node.h"
#include "mayfly/clock.h"
#include "mayfly/logger.h"
#include "server/shards/shard_directory.h"

namespace mayfly::cluster {

struct ShardDatabaseOptions {
  Millis clock_jump_max = std::chrono::hours(12);
  bool reap = true;  // A thread for each shard purges its rows as they die.
  const Clock* clock = nullptr;
  // The other servers' clocks, which limit purges. Null: they do not.
  const ClockComparison* clocks = nullptr;
  // Called once, when the first shard is served. In a lane; may be null.
  std::function<void()> on_first_shard = nullptr;
  Logger* logger = nullptr;
};

class ShardDatabases final : public server::ShardDirectory, private engine::cluster::ShardListener {
 public:
  // Reads the format of the cluster's database, or creates it. Fails as engine::cluster::OpenFormat().
  // What `node` says of addresses is not used.
  static Result<std::unique_ptr<ShardDatabases>> Open(
      std::shared_ptr<engine::cluster::ObjectStore> store, engine::cluster::NodeOptions node,
      const ShardDatabaseOptions& options);

  // Stops without leaving, if Leave() was not called: the others wait for the lease to end.
  ~ShardDatabases() override;

  // From now on this server owns shards, and clients and servers reach it at `address`. `offers` must
  // outlive this; null: moves of shards take some seconds longer.
  Status Join(const server::ServerAddress& address, engine::cluster::OfferSender* offers);

  // As ClusterNode::AwaitJoined(). After Join().
  Status AwaitJoined(Millis wait_max) { return node_->AwaitJoined(wait_max); }

  // Gives all shards to the others. Busy when that takes longer.
  Status Leave(Millis wait_max);

  // As ClusterNode::GiveUp().
  void GiveUp();

  engine::cluster::NodeStats stats() const;

  // As ClusterNode::AwaitStep(): for tests, which move the clock. After Join().
  void AwaitStep() { node_->AwaitStep(); }

  std::size_t shards() const override { return format_.shards; }
  server::ShardPlace Find(std::size_t shard) const override;
  std::vector<std::shared_ptr<server::ServedDatabase>> Here() const override;
  std::shared_ptr<const server::ClusterView> view() const override;
  server::ClusterHealth health() const override;
  void SetListener(server::ShardListener* listener) override;
  Status TakeOffer(Bytes offer) override;
  server::ClusterFigures figures() const override;
  Result<std::optional<server::StoreLook>> Look(std::size_t shard, Bytes find) const override;

 private:
  struct OpenShard;
  struct Found {
    std::shared_ptr<server::ServedDatabase> data;  // Null: the shard is not here.
    std::shared_ptr<OpenShard> open;
    IsClosed is_closed =
        nullptr;  // With data: the store has refused it, and the node is to learn that.

    std::shared_ptr<server::ServedDatabase> usable() const {
      return data == nullptr || is_closed() ? nullptr : data;
    }
  };

  ShardDatabases(std::shared_ptr<engine::cluster::ObjectStore> store,
                 engine::cluster::NodeOptions node, const engine::cluster::ClusterFormat& format,
                 const ShardDatabaseOptions& options);

  // From the node, on its thread.
  void OnGained(engine::cluster::ShardId shard, std::unique_ptr<engine::Engine> engine,
                IsClosed is_closed) override;
  void OnDraining(engine::cluster::ShardId shard, std::function<void()> done) override;
  void OnLost(engine::cluster::ShardId shard) override;

  // In the shard's lane.
  void Open(engine::cluster::ShardId shard, std::uint64_t tenure,
            std::unique_ptr<engine::Engine> engine, IsClosed is_closed);
  Status OpenOn(std::unique_ptr<engine::Engine> engine, OpenShard& open) const;
  void Close(OpenShard& open) const;

  void TakeAway(engine::cluster::ShardId shard, std::function<void()> done);
  bool IsCurrent(engine::cluster::ShardId shard, std::uint64_t tenure) const;

  const std::shared_ptr<engine::cluster::ObjectStore> store_;
  engine::cluster::NodeOptions node_options_;
  const engine::cluster::ClusterFormat format_;
  const ShardDatabaseOptions options_;
  const std::shared_ptr<engine::cluster::ShardTotals> totals_ =
      std::make_shared<engine::cluster::ShardTotals>();  // With the shards.
  Logger& logger_;
  Lanes lanes_;
  std::once_flag first_shard_;

  std::mutex listener_mutex_;                  // Held over its calls. Before mutex_.
  server::ShardListener* listener_ = nullptr;  // Guarded by listener_mutex_.

  mutable std::shared_mutex mutex_;
  std::vector<Found> here_;             // Guarded by mutex_. By shard.
  std::vector<std::uint64_t> tenures_;  // The same: how often it has come or gone.

  std::unique_ptr<engine::cluster::ClusterNode> node_;  // Null before Join().

  mutable std::mutex view_mutex_;
  // The last that was asked for; guarded by view_mutex_. A change is a new epoch.
  mutable std::shared_ptr<const server::ClusterView> view_ =
      std::make_shared<server::ClusterView>();
};

}  // namespace mayfly::cluster
