// cluster_part.h - a server's part in a cluster: its connection to Ceph, its shards as databases, and
// the way to the other servers.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "cluster/clock_comparison.h"
#include "cluster/peer_clocks.h"
#include "cluster/peer_offers.h"
#include "cluster/shard_databases.h"
#include "cluster/tables/tables_part.h"
#include "mayfly/logger.h"
#include "server/config/config.h"
#include "server/net/waiting_threads.h"
#include "server/peers/peer_links.h"

namespace mayfly::app {

class ClusterPart {
 public:
  // Null when the settings name no cluster. Invalid for settings that do not go together; otherwise
  // fails as engine::cluster::OpenRados() and OpenFormat(). All must outlive it.
  static Result<std::unique_ptr<ClusterPart>> Open(server::Config& config, bool manual_clock,
                                                   Logger& logger);

  server::ShardDirectory& shards() { return *shards_; }
  server::PeerCalls& peers() { return links_; }
  server::WaitingThreads& waiting_threads() { return waiting_threads_; }

  // The tables in its shards, and the way to those of others. `region`: of ARNs.
  std::unique_ptr<cluster::TablesPart> NewTables(const Clock& clock, const std::string& region);

  // From now on this server owns shards. `port`: where clients reach it. Returns when it is in the
  // roster; after kJoinWait it goes on trying. Invalid when another server has its number; if that is
  // found later, `on_refused` is called, on another thread.
  Status Join(int port, std::function<void()> on_refused);

  // Why the server cannot be a part of the cluster any more; Ok: it can.
  Status refused() const;

  // Gives the shards to the other servers. If that takes too long, or the store is silent, it says so
  // in the log, and what waits for the store ends.
  void Leave();

 private:
  ClusterPart(server::Config& config, Logger& logger);
  engine::cluster::NodeOptions NodeOptionsOf();
  void FirstShardCame();

  server::Config& config_;
  Logger& logger_;
  server::WaitingThreads waiting_threads_;
  std::atomic<int> port_{0};
  mutable std::mutex mutex_;
  Status refused_;  // Guarded by mutex_, as the next.
  std::function<void()> on_refused_;
  cluster::ClockComparison clocks_;  // Answers of links_ go there.
  server::PeerLinks links_;
  cluster::PeerOffers offers_{links_};
  std::unique_ptr<cluster::ShardDatabases> shards_;   // Uses clocks_ and offers_.
  std::unique_ptr<cluster::PeerClocks> peer_clocks_;  // Null before Join().
};

}  // namespace mayfly::app
