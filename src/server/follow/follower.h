// follower.h - follows a leader: connects, takes a copy if it must, applies its commands, again and
// again until it has to leave.
//   connecting -> copying -> connected     a lost connection: back to connecting, with the stored
//             \------------>/              position; the leader continues there, or it copies
// While it follows, clients' writes are refused, and no dead row is purged: the leader decides when
// its rows are dead, and says so. Readers hide them at their deadline, by the clock here
// (docs/decisions/0057-following-a-redis.md).
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "server/follow/follow_position.h"
#include "server/follow/leader_link.h"
#include "server/follow/leader_session.h"
#include "server/session/following.h"
#include "server/session/server.h"

namespace mayfly::server {

class Follower final : public Following {
 public:
  // Make it before the server's threads run; the server must outlive it. Follows on if it did
  // before the process ended, or as the setting `replicaof` says. Before Start() nothing is sent.
  static Result<std::unique_ptr<Follower>> Open(Server& server);
  ~Follower() override;

  void Start();
  void Stop();  // The process ends: what is applied is stored, and the next run goes on.

  // Following.
  Status Follow(const std::string& host, int port) override;
  Status Leave() override;
  FollowFigures figures() const override;

 private:
  explicit Follower(Server& server);

  // On the thread.
  void Run();
  void EndFollowing();
  Status FollowOnce();
  Status Copy(const SyncStart& start, std::string& rest);
  Status ApplyStream(Bytes rest);
  Status Drain();
  Status Apply(Bytes bytes);
  bool IsEnding() const;
  void Note(LinkState state);
  void NoteProgress();

  Status StartLocked();
  Result<std::optional<FollowPosition>> Stored();
  Status Store(const FollowPosition& position);
  void Hold(bool held);
  LeaderAddress Address() const;

  Server& server_;
  LeaderLink link_;
  LeaderSession session_;
  std::thread thread_;

  std::mutex changing_;       // One Follow() at a time. Under it, rows are written.
  mutable std::mutex mutex_;  // A leaf. Guards what follows.
  std::condition_variable ended_;
  bool started_ = false;  // Start() was called.
  bool runs_ = false;     // The thread.
  bool leaves_ = false;   // REPLICAOF NO ONE.
  bool stops_ = false;
  bool moves_ = false;  // Another leader was named.
  FollowFigures figures_;
};

}  // namespace mayfly::server
