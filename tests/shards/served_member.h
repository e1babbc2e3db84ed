// served_member.h - one server of a cluster, in this process and on free ports.
#pragma once

#include <memory>
#include <thread>

#include "server/assembly/assembly.h"
#include "server/command/core_transaction_source.h"
#include "server/config/config.h"
#include "server/net/network.h"
#include "server/net/waiting_threads.h"
#include "server/peers/peer_links.h"
#include "server/served.h"
#include "server/session/server.h"
#include "server/shards/shard_directory.h"

namespace mayfly::server {

// Throws when it does not start. All must outlive it.
class ServedMember {
 public:
  struct Parts {
    ShardDirectory& directory;
    const Clock& clock;
    const Served::Settings& settings;
    Logger& logger = SilentLogger();
    WaitingThreads* waiting_threads = nullptr;  // See NetworkOptions.
  };
  explicit ServedMember(const Parts& parts);
  ~ServedMember() { Stop(); }
  ServedMember(const ServedMember&) = delete;
  ServedMember& operator=(const ServedMember&) = delete;

  // Ends serving clients.
  void Stop();

  int port() const { return network_->port(); }
  Server& server() { return *server_; }
  PeerLinks& links() { return *links_; }

 private:
  Config config_;
  std::unique_ptr<Database> database_;
  CoreTransactionSource transactions_;
  std::unique_ptr<PeerLinks> links_;
  Assembly front_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Network> network_;
  std::thread thread_;
};

}  // namespace mayfly::server
