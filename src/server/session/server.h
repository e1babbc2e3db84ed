// server.h - the state that all sessions share. Knows no socket: network.h does.
// Handlers of admin commands reach it through CallHost::server(). Its parts are safe to call from
// any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "mayfly/database.h"
#include "mayfly/logger.h"
#include "server/command/authorizer.h"
#include "server/command/command_table.h"
#include "server/command/notify_classes.h"
#include "server/command/pieced_strings.h"
#include "server/command/publisher.h"
#include "server/command/transaction_source.h"
#include "server/config/config.h"
#include "server/databases/databases.h"
#include "server/databases/table_operations.h"
#include "server/databases/table_policies.h"
#include "server/eviction/data_limit.h"
#include "server/feed/feed.h"
#include "server/session/clients.h"
#include "server/session/cluster_side.h"
#include "server/session/following.h"
#include "server/session/jobs/backups.h"
#include "server/session/jobs/jobs.h"
#include "server/session/leading.h"
#include "server/session/monitors.h"
#include "server/session/pause.h"
#include "server/session/scan_cursors.h"
#include "server/session/script_gate.h"
#include "server/session/session_extension.h"
#include "server/session/tracking.h"
#include "server/session/waiting_clients.h"
#include "server/session/watches.h"
#include "server/shards/shard_directory.h"
#include "server/shards/table_shards.h"
#include "server/stats/command_statistics.h"
#include "server/stats/latency_events.h"
#include "server/stats/slowlog.h"
#include "server/stats/throughput.h"

namespace mayfly::server {

// The parts a server is built from. References must outlive it.
struct ServerParts {
  Database& database;
  TransactionSource& transactions;
  Config& config;
  const Clock& clock;       // Of rows; see manual_clock.
  const Clock& real_clock;  // For measuring; never moved by hand.
  Logger& logger;
  const CommandTable& table;
  Authorizer* authorizer = nullptr;         // Null: a PasswordAuthorizer.
  Publisher* publisher = nullptr;           // Null: no subscribers.
  ExtensionMaker* extensions = nullptr;     // Null: no extensions.
  TablePolicies* table_policies = nullptr;  // Null: no tables.
  TableOperations* table_operations = nullptr;
  RestoreInto restore = nullptr;        // Null: nothing can be restored.
  ManualClock* manual_clock = nullptr;  // Moved by DEBUG CLOCK; null: it is refused.
  // A server of a cluster: `database` has no rows of clients then. Null: a server alone.
  ShardDirectory* shards = nullptr;
  PeerCalls* peers = nullptr;           // To the cluster's other servers.
  TableShards* table_shards = nullptr;  // Null: the shards have no tables.
  std::string version = "0";
};

class Server {
 public:
  // Fails as Databases::Open().
  static Result<std::unique_ptr<Server>> Open(ServerParts parts);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  Database& database() { return parts_.database; }
  TransactionSource& transactions() { return parts_.transactions; }
  Config& config() { return parts_.config; }
  const Clock& clock() const { return parts_.clock; }
  const Clock& real_clock() const { return parts_.real_clock; }
  Logger& logger() { return parts_.logger; }
  TablePolicies* table_policies() { return parts_.table_policies; }
  TableOperations* table_operations() { return parts_.table_operations; }
  TableShards* table_shards() { return parts_.table_shards; }
  ManualClock* manual_clock() { return parts_.manual_clock; }
  const std::string& version() const { return parts_.version; }
  Authorizer& authorizer() { return *authorizer_; }
  Publisher& publisher() { return *publisher_; }
  const CommandTable& table() const { return parts_.table; }
  Databases& databases() { return *databases_; }

  // Null: a server alone.
  ClusterSide* cluster() { return cluster_.get(); }

  // The server's own database; without a cluster it has the rows of clients.
  ServedDatabase& own_data() { return *own_data_; }

  // The databases that have the rows of clients: the own one, or those of the shards here.
  std::vector<std::shared_ptr<ServedDatabase>> DataHere();
  Clients& clients() { return clients_; }
  Watches& watches() { return watches_; }
  Tracking& tracking() { return tracking_; }
  WaitingClients& waiting() { return waiting_; }
  Monitors& monitors() { return monitors_; }
  ClientPause& pause() { return pause_; }
  ScanCursors& scan_cursors() { return scan_cursors_; }
  PiecedStrings& pieced_strings() { return pieced_strings_; }
  ScriptGate& script_gate() { return script_gate_; }
  CommandStatistics& statistics() { return statistics_; }
  Throughput& throughput() { return throughput_; }
  Slowlog& slowlog() { return slowlog_; }
  LatencyEvents& latency_events() { return latency_events_; }
  Jobs& jobs() { return jobs_; }
  Backups& backups() { return backups_; }
  DataLimit& data_limit() { return data_limit_; }
  const DataLimit& data_limit() const { return data_limit_; }

  // Whether rows leave, or commands are refused, above `maxmemory`: not while it follows a server
  // that decides that (replica-ignore-maxmemory).
  bool evicts() const {
    return !follows.load(std::memory_order_relaxed) ||
           ignores_max_.load(std::memory_order_relaxed) == 0;
  }

  // Null until the owner of the follower sets it.
  Following* following() { return following_.load(std::memory_order_acquire); }
  void SetFollowing(Following* following) { following_ = following; }

  // The stream that followers of this server read; and who serves them, null until its owner sets
  // it.
  Feed& feed() { return *feed_; }
  Leading* leading() { return leading_.load(std::memory_order_acquire); }
  void SetLeading(Leading* leading) { leading_ = leading; }

  // Whether clients may not write, since fewer followers than min-replicas-to-write are close.
  bool lacks_followers() const {
    return min_followers_.load(std::memory_order_relaxed) > 0 &&
           !follows.load(std::memory_order_relaxed) &&
           close_followers.load(std::memory_order_relaxed) <
               min_followers_.load(std::memory_order_relaxed);
  }
  std::atomic<std::int64_t> close_followers{0};  // As min-replicas-max-lag says.

  // Whether clients may not write, since the server follows another one (replica-read-only). The
  // follower says so.
  bool refuses_writes() const {
    return follows.load(std::memory_order_relaxed) &&
           replica_read_only_.load(std::memory_order_relaxed) != 0;
  }
  std::atomic<bool> follows{false};

  // Makes the deaths of keys known to clients that track by prefix; and applies
  // notify-keyspace-events to the present databases.
  Status NotifyOfDeaths();

  // The same for the database of a shard that comes, until it goes.
  Status FollowDeathsIn(ServedDatabase& data);
  void StopFollowingDeathsIn(std::size_t shard);

  std::unique_ptr<SessionExtension> NewExtension(Session& session);
  ScriptFigures script_figures() const;

  // For measuring; real time even when the clock of rows is moved by hand.
  SteadyTime Steady() const { return parts_.real_clock.Steady(); }
  SteadyTime started() const { return started_; }
  const std::string& run_id() const { return run_id_; }

  // Publishes a keyspace notification if the configuration asks for its class.
  void Notify(NotifyClass kind, std::string_view event, int database, Bytes key);
  bool Wants(NotifyClass kind) const {
    const std::uint32_t bits = notify_bits_.load(std::memory_order_relaxed);
    return bits != 0 && NotifyClasses::FromBits(bits).Wants(kind);
  }
  bool WantsNotifications() const { return notify_bits_.load(std::memory_order_relaxed) != 0; }

  // Records that something other than a command took this long, as `event` of LATENCY if over its
  // threshold.
  void NoteLatency(std::string_view event, std::chrono::nanoseconds took);

  // Adds a command that has ended to the slow log if it took long enough. The session's thread.
  void NoteSlow(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
                std::uint64_t nanos);

  // Logs, at most once a minute, that a client is closed because it speaks another protocol, such
  // as HTTP.
  void WarnOfForeignProtocol(const Session& session);

  // Called by CLIENT UNPAUSE and at the end of a pause.
  void ResumePaused();

  // Commits since the last sync, and when that was.
  std::atomic<std::uint64_t> changes_since_save{0};
  std::atomic<std::int64_t> last_save_ms{0};
  std::atomic<bool> last_save_ok{true};
  std::atomic<std::int64_t> last_asked_save_ms{0};  // By SAVE; at first, the server's start.
  Status Save();

  // SHUTDOWN and signals call `stop`, which the owner of the sockets sets.
  void OnShutdown(std::function<void()> stop);
  void Shutdown();

  // The server stops: a running script is aborted and rolled back.
  std::atomic<bool> stops{false};

  // The port that clients are shown, once it is known.
  std::atomic<int> port{0};

 private:
  explicit Server(ServerParts parts);
  Status Start();
  Status FollowNotifications(std::uint32_t bits);
  Status FollowDeaths(std::uint32_t bits);  // With following_deaths_ held, as the next.
  Status FollowDeathsIn(ServedDatabase& data, std::uint32_t bits);
  void NotifyOfDeath(const Event& event);
  int NumberOf(const std::string& keyspace_name);  // -1: of no database.

  // The database of the last death that was notified.
  struct DiedIn {
    std::uint64_t generation = 0;  // Of the databases' mapping; 0: none.
    std::string name;
    int number = -1;
  };

  ServerParts parts_;
  PasswordAuthorizer own_authorizer_;
  NoPublisher own_publisher_;
  Authorizer* const authorizer_;
  Publisher* const publisher_;
  const SteadyTime started_;
  std::string run_id_;
  std::unique_ptr<Databases> databases_;
  std::shared_ptr<ServedDatabase> own_data_;
  std::unique_ptr<Feed> feed_;
  std::mutex following_deaths_;  // Before the gates of keyspaces.
  DiedIn died_in_;               // Used in calls of the next, which are made one at a time.
  std::map<std::size_t, std::unique_ptr<EventSubscription>>
      expired_;  // By shard; following_deaths_.
  Clients clients_;
  Watches watches_;
  Tracking tracking_;
  WaitingClients waiting_;
  Monitors monitors_;
  ClientPause pause_;
  ScanCursors scan_cursors_;
  PiecedStrings pieced_strings_;
  ScriptGate script_gate_;
  CommandStatistics statistics_;
  Throughput throughput_;
  Slowlog slowlog_;
  LatencyEvents latency_events_;
  std::atomic<std::uint32_t> notify_bits_{0};
  const std::atomic<std::int64_t>& latency_millis_;  // latency-monitor-threshold.
  const std::atomic<std::int64_t>& slow_micros_;     // slowlog-log-slower-than.
  const std::atomic<std::int64_t>& replica_read_only_;
  const std::atomic<std::int64_t>& min_followers_;  // min-replicas-to-write.
  const std::atomic<std::int64_t>& ignores_max_;    // replica-ignore-maxmemory.
  DataLimit data_limit_;
  std::atomic<Following*> following_{nullptr};
  std::atomic<Leading*> leading_{nullptr};
  std::atomic<std::int64_t> foreigner_told_ms_;  // On the steady clock.

  std::mutex saving_;  // Serialises saves, so that changes are counted off once.
  std::mutex stopping_;
  std::function<void()> stop_;  // Guarded by stopping_.
  Jobs jobs_;                   // Jobs use the other parts, backups_ too: these two are last, in
  Backups backups_;             // this order, and ~Server() stops the jobs first.
  std::unique_ptr<ClusterSide> cluster_;  // Uses all others.
};

}  // namespace mayfly::server
