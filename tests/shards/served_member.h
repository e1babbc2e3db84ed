// served_member.h - one server of a cluster, in this process and on free ports.
#pragma once

#include <memory>
#include <thread>

#include "cluster/peer_offers.h"
#include "cluster/shard_databases.h"
#include "cluster/tables/tables_part.h"
#include "dynamo/service.h"
#include "server/assembly/assembly.h"
#include "server/command/core_transaction_source.h"
#include "server/config/config.h"
#include "server/net/network.h"
#include "server/net/waiting_threads.h"
#include "server/peers/peer_links.h"
#include "server/served.h"
#include "server/session/server.h"
#include "server/shards/shard_directory.h"
#include "tables/protocol_tables.h"

namespace mayfly::server {

// Throws when it does not start. What is not its own must outlive it.
class ServedMember {
 public:
  struct Parts {
    ShardDirectory& directory;
    std::unique_ptr<cluster::ShardDatabases> own_shards = nullptr;  // Null, or the directory.
    const Clock& clock;
    const Served::Settings& settings;
    Logger& logger = SilentLogger();
    WaitingThreads* waiting_threads = nullptr;  // See NetworkOptions.
  };
  explicit ServedMember(Parts parts);
  ~ServedMember() { Stop(); }
  ServedMember(const ServedMember&) = delete;
  ServedMember& operator=(const ServedMember&) = delete;

  // From now on its own shards come, if it has some, and its tables follow their definitions.
  void Join();

  // Ends serving clients.
  void Stop();

  int port() const { return network_->port(); }
  int http_port() const { return network_->http_port(); }
  Server& server() { return *server_; }
  cluster::ShardDatabases& own_shards() { return *own_shards_; }
  PeerLinks& links() { return *links_; }

 private:
  Config config_;
  std::unique_ptr<PeerLinks> links_;
  std::unique_ptr<cluster::PeerOffers> offers_;
  std::unique_ptr<cluster::ShardDatabases> own_shards_;  // Uses offers_.
  std::unique_ptr<Database> database_;
  CoreTransactionSource transactions_;
  std::unique_ptr<cluster::TablesPart> tables_;
  std::unique_ptr<tables::ProtocolTables> no_tables_;  // Of the server's own database.
  std::unique_ptr<dynamo::Service> dynamo_;
  Assembly front_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Network> network_;
  std::thread thread_;
};

}  // namespace mayfly::server
