// cluster_side.h - what a server of a cluster has beside: the directory of shards, the way to the
// other servers, and which clients know of them.
// A client of Redis Cluster is sent to the owner of a key by MOVED; any other client does not know
// what that is, and its commands are forwarded. A connection shows by its commands that it speaks
// cluster; and since such clients ask one connection for the map and use others, the other
// connections of that user from that address count as well.
// Safe to call from any thread, but for what takes a session: that is for the session's thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "base/duration_counts.h"
#include "server/session/client_state.h"
#include "server/session/jobs/jobs.h"
#include "server/session/log_pace.h"
#include "server/session/peer_calls.h"
#include "server/shards/shard_directory.h"

namespace mayfly::server {

class Server;
class Session;
struct Waiter;

class ClusterSide final : private ShardListener {
 public:
  // All must outlive it. `peers` null: nothing can be forwarded.
  ClusterSide(Server& server, ShardDirectory& directory, PeerCalls* peers);
  ~ClusterSide() override;
  ClusterSide(const ClusterSide&) = delete;
  ClusterSide& operator=(const ClusterSide&) = delete;

  // From now on it hears of shards. Fails for settings that a cluster cannot have.
  Status Start();

  ShardDirectory& directory() { return directory_; }
  PeerCalls* peers() { return peers_; }

  // Commands that were sent to other servers for clients, those that wait for keys without their time.
  struct Forwards {
    std::atomic<std::uint64_t> commands{0};
    DurationCounts
        durations;  // Until the replies came, of commands that were sent together as one.
  };
  Forwards& forwards() { return forwards_; }

  // Looks at whole shards for other servers and for clients, beside the thread of TTL.JOB's jobs, which
  // may wait for such a look.
  Jobs& looks() { return looks_; }

  ShardPlace PlaceOf(engine::Slot slot) const {
    return directory_.Find(ShardOf(slot, directory_.shards()));
  }

  // Whether the owned database is still the one of its shard.
  bool IsHere(const ServedDatabase& data) const {
    return directory_.Find(data.shard).here.get() == &data;
  }

  // The session has said something that only clients of a cluster say. `asked_for_map`: they have
  // other connections for their commands.
  void NoteSpeech(Session& session, bool asked_for_map);

  // Another server says that a client of this address and user has asked for the map.
  void NoteAsker(std::string address, std::string user);

  // Another server, at this address, says that it could not log in here. Logged, once in a while.
  void NoteRefused(Bytes address);

  // Sends a command to all other servers, without waiting; in the order of the calls. One that cannot
  // be reached goes without.
  void TellPeers(std::span<const Bytes> words);

  // Whether the client has said on this connection that it goes to other servers itself.
  bool SpeaksCluster(Session& session) const;

  // The same, or it probably does, as another connection of its user and address has said so.
  bool Redirects(Session& session) const;

  // From now on, or no more, the calling thread serves clients beside a command of its own that waits
  // for the store. It may hold locks of a database then, and asks none of them anything.
  void SetBesideWait(bool beside);
  bool IsBesideWait() const;

  // How long a command waits for a shard that has no owner.
  Millis patience() const { return Millis(patience_.load(std::memory_order_relaxed)); }

  // The error for a slot that is not here: MOVED, or CLUSTERDOWN for nobody's.
  static std::string RedirectLine(engine::Slot slot, const ShardPlace& place);

  // Ends the subscriptions of the shard's channels, since it is another server's: their clients
  // subscribe again there.
  void EndChannels(std::size_t shard);

  // The error for a client whose wait has ended with the shard's stay here.
  std::string MovedWhileWaitingLine(const Waiter& waiter) const;

 private:
  Status ShardComes(ServedDatabase& data) override;
  void ShardGoes(std::size_t shard) override;
  void EndWaits(std::size_t shard);
  using Home = std::pair<std::string, std::string>;  // Address without its port, user.
  static Home HomeOf(Session& session);
  bool Remember(Home home);

  Server& server_;
  ShardDirectory& directory_;
  PeerCalls* const peers_;
  const std::atomic<std::int64_t>& redirect_;  // cluster-redirect.
  const std::atomic<std::int64_t>& patience_;  // cluster-patience.
  mutable std::mutex mutex_;
  // When a client of this address and user has last asked, or a command of one was decided by it;
  // guarded by mutex_.
  mutable std::map<Home, SteadyTime> askers_;
  std::set<std::thread::id> beside_wait_;  // Guarded by mutex_.
  LogPace refusals_;  // Of which servers it was logged that they cannot log in here.
  Forwards forwards_;
  Jobs looks_;
};

}  // namespace mayfly::server
