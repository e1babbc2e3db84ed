// peer_links.h - connections to the other servers of a cluster.
// A connection tells the other server that it is a peer's (CLUSTER PEER), and logs in as
// cluster-user. Commands of many clients share connections; one that may wait for keys has one of its
// own, which is closed when the wait is given up, since a reply would come too late.
// One thread makes and serves them all.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "mayfly/logger.h"
#include "server/config/config.h"
#include "server/session/log_pace.h"
#include "server/session/peer_calls.h"
#include "server/shards/shard_directory.h"

namespace mayfly::server {

class PeerLink;

class PeerLinks final : public PeerCalls {
 public:
  // Both must outlive it. `clock`: for patience; real time.
  PeerLinks(Config& config, const Clock& clock);
  ~PeerLinks() override;
  PeerLinks(const PeerLinks&) = delete;
  PeerLinks& operator=(const PeerLinks&) = delete;

  // From now on calls to a server that is not in the roster any more are given up, and servers that
  // refuse this one's login are logged. Both must outlive it. Before the first call.
  void Follow(const ShardDirectory& directory, Logger& logger);

  std::unique_ptr<PeerCall> Send(PeerRequest request,
                                 std::function<void(PeerReplies)> done) override;

 private:
  class Call;
  using Key = std::pair<ServerAddress, ProtocolVersion>;
  struct Pool {
    std::vector<std::shared_ptr<PeerLink>> shared;
    std::size_t next = 0;
    std::vector<std::shared_ptr<PeerLink>> waiting;
  };

  // On the thread.
  void BeginAfterPause(const std::shared_ptr<Call>& call);
  void Begin(const std::shared_ptr<Call>& call);
  std::shared_ptr<PeerLink> NewLink(const Key& key);
  bool HasGone(const ClusterView& view, const ServerAddress& server) const;
  // `in_order`: the same one each time, while it is open.
  std::shared_ptr<PeerLink> SharedLink(Pool& pool, const Key& key, bool in_order);
  std::shared_ptr<PeerLink> WaitingLink(Pool& pool, const Key& key);  // Null: there are too many.
  void Look();

  Config& config_;
  const Clock& clock_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> alive_;
  boost::asio::steady_timer look_;
  std::map<Key, Pool> pools_;
  const ShardDirectory* directory_ = nullptr;  // Null: none is followed. As the next.
  Logger* logger_ = nullptr;
  LogPace refusals_;
  std::thread thread_;
};

}  // namespace mayfly::server
