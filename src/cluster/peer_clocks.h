// peer_clocks.h - asks other servers for their clocks (CLUSTER CLOCK), and logs when they differ.
// As many as kComparedServersMax are asked, those that follow this server by id, around the end: so
// each is compared with by as many as it compares with.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "cluster/clock_comparison.h"
#include "mayfly/clock.h"
#include "mayfly/logger.h"
#include "server/session/peer_calls.h"
#include "server/shards/shard_directory.h"

namespace mayfly::cluster {

class PeerClocks {
 public:
  // `clock`: the one that is compared. All must outlive it, and `comparison` the threads of `peers`.
  PeerClocks(const server::ShardDirectory& directory, server::PeerCalls& peers, const Clock& clock,
             ClockComparison& comparison, Logger& logger);
  ~PeerClocks();
  PeerClocks(const PeerClocks&) = delete;
  PeerClocks& operator=(const PeerClocks&) = delete;

  // From now on a thread asks every kClockAskPause.
  void Start();

  // Asks once; the answers come later. Begins when the first shard is here: the view of the servers
  // is whole by then. Not while the thread runs: for tests.
  void Ask();

  // Questions without an answer.
  std::size_t waiting() const;

 private:
  // Shared with answers that come later.
  struct Asked {
    std::mutex mutex;
    std::set<std::string> waiting;  // Guarded by mutex. By id: no answer yet.
  };

  void AskOne(const server::ClusterMember& member);
  void LogChanges(const std::vector<server::ClusterMember>& members);

  const server::ShardDirectory& directory_;
  server::PeerCalls& peers_;
  const Clock& clock_;
  ClockComparison& comparison_;
  Logger& logger_;
  const std::shared_ptr<Asked> asked_ = std::make_shared<Asked>();

  // Of the thread that asks.
  std::map<std::string, std::unique_ptr<server::PeerCall>> calls_;  // By id.
  bool begun_ = false;
  SteadyTime begun_at_;
  std::string logged_state_ = "agree";
  std::set<std::string> logged_;  // Peers whose clocks are logged as too far away.

  Waker waker_;
  bool stopping_ = false;  // Guarded by asked_->mutex.
  std::thread thread_;
};

}  // namespace mayfly::cluster
