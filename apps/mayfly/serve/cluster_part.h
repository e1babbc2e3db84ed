// cluster_part.h - a server's part in a cluster: its connection to Ceph, its shards as databases, and
// the way to the other servers.
#pragma once

#include <memory>

#include "cluster/peer_offers.h"
#include "cluster/shard_databases.h"
#include "cluster/tables/tables_part.h"
#include "mayfly/logger.h"
#include "server/config/config.h"
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

  // The tables in its shards, and the way to those of others. `region`: of ARNs.
  std::unique_ptr<cluster::TablesPart> NewTables(const Clock& clock, const std::string& region);

  // From now on this server owns shards. `port`: where clients reach it.
  Status Join(int port);

  // Gives the shards to the other servers, and logs if that takes too long.
  void Leave();

 private:
  ClusterPart(server::Config& config, Logger& logger,
              std::unique_ptr<cluster::ShardDatabases> shards);

  server::Config& config_;
  Logger& logger_;
  server::PeerLinks links_;
  cluster::PeerOffers offers_{links_};
  std::unique_ptr<cluster::ShardDatabases> shards_;  // Uses offers_.
};

}  // namespace mayfly::app
