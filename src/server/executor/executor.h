// executor.h - runs the commands of clients. Each thread that serves clients has one.
// Consecutive plain commands of one pipeline share one latched transaction: their keys are latched
// together, they are committed once, and only then are their replies sent. No client sees half of a
// batch, and a commit that fails turns all its replies into errors. A batch ends before a command
// that changes the session (SELECT, MULTI, AUTH: all that touch no row) or needs all keys; behind
// one that blocks; behind one that changed a key another client waits for, since that client is
// served first; and behind the one that ends the client's turn. Replies stay in the order of
// requests.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "server/executor/cluster_merge.h"
#include "server/executor/command_batch.h"
#include "server/executor/peer_commands.h"
#include "server/executor/pipeline.h"
#include "server/session/session.h"
#include "server/session/waiting_clients.h"

namespace mayfly::server {

class Executor {
 public:
  Executor(Server& server, std::uint64_t seed);

  // Runs commands of the pipeline until none is left, the session has to wait or is to close, its
  // replies have to be read, or its turn has ended.
  void Run(Session& session, Pipeline& pipeline, SteadyTime turn_end);

  // Whether Run() is on the stack: then the executor cannot run another session.
  bool running() const { return running_; }

  // From now on it runs beside a command of its thread that waits for the store of the cluster: only
  // what touches no row, and takes no lock that the other may hold.
  void set_beside_wait(bool beside) { beside_wait_ = beside; }

  // Makes room for a moment, when the data has passed `maxmemory`; outside of Run(). Whether there is
  // more to do.
  bool MakeRoomBeside();

  // Counts of commands and commits on this thread.
  ThreadCounters& counters() { return counters_; }

 private:
  // How a command is handled.
  enum class Way : std::uint8_t {
    kRefuse,  // `error` is its reply.
    kQueue,   // MULTI is open.
    kBatch,   // With others, in one transaction.
    kAlone,   // Touches no row, or needs all keys.
    kExec,
    kShard,    // A shard without an owner holds it.
    kForward,  // At the owner of its keys.
    kAcross,   // On all shards, or servers, of a cluster.
    kWalk,     // On one shard of a cluster after the other, by its cursor.
    kClose,    // Not a command, but a line of another protocol, such as HTTP.
    kHold,     // A pause holds it.
    kAwait,    // A script of another client runs.
  };
  struct Decision {
    Way way = Way::kRefuse;
    const CommandEntry* entry = nullptr;  // Null: unknown.
    Answer error;
  };
  struct Item {
    Decision decision;
    std::span<const Bytes> args;
    std::uint64_t nanos = 0;
    bool failed = false;
    bool parked = false;  // Its reply comes later: Session::Unpark().
  };

  // Where a command runs on a cluster.
  struct Route {
    std::shared_ptr<ServedDatabase> data;  // Null: not on a shard that is here.
    ServerAddress elsewhere;
    std::optional<engine::Slot> slot;  // Nothing: it has no keys.
  };

  // Decides how a command is handled: executor_decide.cc. Leaves its keys in key_uses_.
  Decision Decide(Session& session, std::span<const Bytes> args);
  Answer CheckState(Session& session, const CommandEntry& entry, std::span<const Bytes> args);
  bool RunsScript(Session& session, const Decision& decision) const;
  void MeetScript(Session& session, const CommandEntry& entry, Decision& decision) const;
  bool HeldByPause(Session& session, const CommandEntry& entry, std::span<const Bytes> args) const;

  // Returns how many commands were run; none when the session was put off, or is to try again.
  std::size_t RunSome(Session& session, const Pipeline& pipeline);
  std::size_t RunFirst(Session& session, const Pipeline& pipeline, Decision& decision,
                       ScriptGateVisit& visit);
  void AddKeys(const CommandEntry& entry, int database, std::span<const Bytes> args);

  // Collects commands that run together, in items_ and keys_. Returns the decision on the first
  // one, if that cannot be among them.
  std::optional<Decision> CollectBatch(Session& session, const Pipeline& pipeline);
  std::size_t RunBatch(Session& session);
  void RunItems(Session& session, std::size_t& done, std::shared_ptr<Waiter>& parked);
  void NotifyOthers(Session& session);
  void RememberReads(Session& session, const CommandEntry& entry, std::span<const Bytes> args);
  void ForgetCaching(Session& session, const CommandEntry& entry) const;
  std::size_t FailBatch(Session& session, std::size_t count, std::uint64_t replies_begin,
                        const Status& error);
  void FailItems(Session& session, std::size_t count, std::uint64_t replies_begin,
                 const Status& error);

  // `beside`: with the keys in keys_ alone. False: it needs all keys, and its effects are
  // discarded.
  bool RunAlone(Session& session, Decision& decision, std::span<const Bytes> args, bool beside);
  bool RunAloneHere(Session& session, Decision& decision, std::span<const Bytes> args, bool beside);
  bool RunsBeside(Session& session, const Decision& decision, std::span<const Bytes> args);
  void Queue(Session& session, const CommandEntry& entry, std::span<const Bytes> args);
  void Refuse(Session& session, const Decision& decision);
  void NoteFailure(Session& session, std::span<const Bytes> args, const Answer& answer);
  void CloseForeigner(Session& session);

  // Decide() to HeldByPause(): executor_decide.cc. EXEC: executor_exec.cc.
  void RunTransaction(Session& session, const CommandEntry& exec, std::span<const Bytes> args);
  Status RunAndCommit(Session& session, const std::vector<QueuedCommand>& commands,
                      ReplyWriter& writer);
  Status CollectTransactionKeys(Session& session, const std::vector<QueuedCommand>& commands,
                                KeyReach& reach);
  Result<bool> WatchesHold(Session& session);
  const char* RefusalToWrite(Session& session, const std::vector<QueuedCommand>& commands) const;
  Answer CheckQueued(Session& session, const CommandEntry& entry, std::span<const Bytes> args);
  Status RunQueued(Session& session, const std::vector<QueuedCommand>& commands);

  // `maxmemory`: executor_evict.cc.
  void MakeRoom();
  Result<bool> MakeSomeRoom();
  void NoteUses(int database, std::span<const Bytes> args);  // Of the keys in key_uses_.

  // On a cluster: executor_cluster.cc.
  using ReplyChange = std::function<std::string(std::string reply)>;
  void Place(Session& session, std::span<const Bytes> args, Decision& decision);
  bool AwaitsShard(Session& session);
  bool FitsBatch(const Decision& decision);
  Answer PlaceTransaction(const std::vector<QueuedCommand>& commands, Route& route);
  // The transaction runs here afterwards, or it is `forwarded`, or gets an error.
  Answer RouteTransaction(Session& session, const CommandEntry& exec,
                          const std::vector<QueuedCommand>& commands, bool& forwarded);
  bool CanForwardTransaction(Session& session, const Route& route);
  void ForwardTransaction(Session& session, const CommandEntry& exec,
                          const std::vector<QueuedCommand>& commands, const ServerAddress& to,
                          engine::Slot slot);
  std::size_t Forward(Session& session, const Pipeline& pipeline, const Decision& first);
  std::shared_ptr<Waiter> ParkForPeers(Session& session, const CommandEntry& entry,
                                       std::span<const Bytes> args);
  void SendToPeer(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
                  PeerCommands::Order order, ReplyChange change = nullptr);
  void RunAcross(Session& session, const CommandEntry& entry, std::span<const Bytes> args);
  void AskOthers(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
                 std::vector<ServerAddress> others, std::vector<Reply> own,
                 std::shared_ptr<const ClusterView> view);
  void RunOnShard(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
                  std::size_t at);
  Reply RunOn(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
              std::shared_ptr<ServedDatabase> data);
  void ReplyWith(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
                 const Reply& reply, SteadyTime begin);
  void MeetStoreWait(Decision& decision) const;
  bool HasLostShard(const Status& error) const;
  bool HasFailedForLostShard(std::size_t done) const;
  bool IsPlacedAgain(Session& session, const Status& error);
  std::string LostShardLine(Session& session) const;

  // TTL.PROVE and TTL.CHECK: executor_looks.cc.
  void RunLook(Session& session, const CommandEntry& entry, std::span<const Bytes> args);

  // TTL.EVENTS: executor_events.cc.
  void RunEvents(Session& session, const CommandEntry& entry, std::span<const Bytes> args);

  // Commands with a cursor: executor_walk.cc.
  class Walk;
  void RunWalk(Session& session, const CommandEntry& entry, std::span<const Bytes> args);
  std::optional<Reply> WalkHere(Session& session, const CommandEntry& entry,
                                std::span<const Bytes> args, Walk& walk);
  void WalkAtPeer(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
                  Walk& walk, const ServerAddress& to);

  // Clients that wait: executor_waiters.cc.
  std::shared_ptr<Waiter> Park(Session& session, const Item& item, BlockRequest request);
  void CancelPark(const std::shared_ptr<Waiter>& waiter);
  void ServeWaiters(std::vector<DatabaseKey> ready);
  enum class Served : std::uint8_t { kYes, kStillWaits, kNothingThere };
  Served Serve(const std::shared_ptr<Waiter>& waiter, const DatabaseKey& key,
               std::vector<DatabaseKey>& ready);
  void EndWait(const std::shared_ptr<Waiter>& waiter, Session* session, const Answer& answer,
               Bytes reply);

  void Show(Session& session, const CommandEntry& entry, std::span<const Bytes> args);
  void Finish(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
              std::uint64_t nanos, bool failed);
  OutputBuffer& OutputOf(Session& session);
  void EndReplies(Session& session, const CommandEntry* entry);

  Server& server_;
  ClusterSide* const cluster_;  // Null: a server alone.
  ScriptGate::Door& door_;
  ThreadCounters& counters_;
  const std::atomic<std::int64_t>& latency_tracking_;
  const std::atomic<std::int64_t>& busy_millis_;
  const std::atomic<std::int64_t>& queued_max_;
  CommandBatch run_;
  bool running_ = false;
  bool beside_wait_ = false;
  SteadyTime turn_end_;          // Of the client whose commands run.
  bool script_runs_ = false;     // Of another client, as of the last check of the gate.
  int fruitless_ = 0;            // Searches for rows to evict, one after the other, without any.
  SteadyTime leftovers_looked_;  // When dead rows were last looked for, to make room.
  OutputBuffer discarded_;       // Replies that are not sent: CLIENT REPLY OFF.

  // Of the current batch; members to reuse their memory.
  std::vector<Item> items_;
  std::vector<DatabaseKeyView> keys_;
  std::vector<KeyUse> key_uses_;
  Route route_;  // Of the command that was decided last.
  Route batch_;  // Of the first command with keys.
};

}  // namespace mayfly::server
