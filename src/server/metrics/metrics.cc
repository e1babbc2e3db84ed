#include "server/metrics/metrics.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "server/metrics/cluster_metrics.h"
#include "server/metrics/health.h"
#include "server/metrics/metrics_writer.h"
#include "server/metrics/process_figures.h"
#include "server/session/gathered_statistics.h"
#include "server/stats/clock_words.h"

namespace mayfly::server {
namespace {

constexpr double kMsPerSecond = 1e3;

double Seconds(Millis length) { return static_cast<double>(length.count()) / kMsPerSecond; }

void WriteServer(MetricsWriter& out, Server& server) {
  const auto totals = server.statistics().totals();
  out.Begin("mayfly_build_info", "gauge", "Always 1; the version is a label.");
  out.Value(1, Label("version", server.version()));
  out.One("mayfly_clients", "gauge", "Connected clients.", server.clients().size());
  out.One("mayfly_clients_max", "gauge", "How many clients may connect.",
          server.config().Number(Setting::kMaxClients));
  out.One("mayfly_clients_waiting", "gauge", "Clients that wait for a key.",
          server.waiting().size());
  out.One("mayfly_connections_total", "counter", "Clients that were accepted.",
          server.clients().accepted());
  out.One("mayfly_connections_rejected_total", "counter", "Clients that were turned away.",
          server.clients().rejected());
  out.One("mayfly_received_bytes_total", "counter", "Bytes from clients.", totals.bytes_in);
  out.One("mayfly_sent_bytes_total", "counter", "Bytes to clients.", totals.bytes_out);
  out.One("mayfly_batches_committed_total", "counter", "Batches of commands committed as one.",
          totals.batches);
  out.One("mayfly_errors_total", "counter", "Error replies.", server.statistics().errors_total());
  out.One("mayfly_key_hits_total", "counter", "Keys that were read, and existed.", totals.hits);
  out.One("mayfly_key_misses_total", "counter", "Keys that were read, and did not exist.",
          totals.misses);
  const DataLimit& limit = server.data_limit();
  out.One("mayfly_data_max_bytes", "gauge", "maxmemory: what may be stored; 0: no limit.",
          limit.max());
  out.One("mayfly_data_bytes", "gauge",
          "What is stored, keys, values and expiry index; 0 while there is no limit.",
          limit.bytes());
  out.One("mayfly_data_refused", "gauge",
          "1: commands that add are refused, since nothing can be evicted.",
          limit.refuses() ? 1 : 0);
  out.One("mayfly_evicted_rows_total", "counter", "Living rows removed because of maxmemory.",
          limit.evicted_ever.load());
  const Backups& backups = server.backups();
  out.One("mayfly_backups_total", "counter", "Backups that were completed.", backups.completed());
  out.One("mayfly_backup_last_failed", "gauge", "1: the last backup that was begun failed.",
          backups.last_ok() ? 0 : 1);
  out.One("mayfly_backup_last_timestamp_seconds", "gauge",
          "When the last backup was complete, since the epoch; 0: there was none.",
          Seconds(Millis(backups.last_ms())));
}

void WriteFollowing(MetricsWriter& out, Server& server) {
  out.One("mayfly_follows", "gauge", "1: it follows another server.", server.follows ? 1 : 0);
  if (!server.follows || server.following() == nullptr) return;
  const FollowFigures figures = server.following()->figures();
  out.One("mayfly_follow_link_up", "gauge", "1: the leader's commands arrive.",
          figures.state == LinkState::kConnected ? 1 : 0);
  out.One("mayfly_follow_applied_offset", "counter",
          "Bytes of the leader's stream that are applied here.", figures.applied);
  out.One("mayfly_follow_lag_bytes", "gauge", "Bytes that were received and are not applied yet.",
          figures.received - figures.applied);
  if (figures.last_io) {
    out.One("mayfly_follow_silence_seconds", "gauge", "How long nothing has come from the leader.",
            std::chrono::duration<double>(server.Steady() - *figures.last_io).count());
  }
  out.One("mayfly_follow_full_copies_total", "counter", "Full copies that were taken.",
          figures.copies);
  out.One("mayfly_follow_resumptions_total", "counter",
          "Connections that went on where the last one had ended.", figures.resumptions);
  out.One("mayfly_follow_failed_commands_total", "counter",
          "Commands of the leader that could not be run here.", figures.failed);
}

void WriteFollowers(MetricsWriter& out, Server& server) {
  if (server.leading() == nullptr) return;
  const LeadFigures figures = server.leading()->figures();
  out.One("mayfly_followers", "gauge", "Servers that follow this one.", figures.followers.size());
  if (!figures.on) return;
  out.One("mayfly_lead_offset", "counter", "Bytes of the stream to followers.", figures.offset);
  out.One("mayfly_lead_backlog_bytes", "gauge", "Bytes of it that are kept.",
          figures.backlog_bytes);
  std::int64_t behind = 0;
  for (const FollowerFigures& follower : figures.followers) {
    behind = std::max(behind, figures.offset - follower.acknowledged);
  }
  out.One("mayfly_lead_lag_bytes", "gauge",
          "Bytes that the slowest follower has not said to have applied.", behind);
  out.One("mayfly_lead_full_copies_total", "counter", "Full copies for followers.",
          figures.full_copies);
  out.One("mayfly_lead_resumptions_total", "counter", "Followers that went on where they were.",
          figures.resumptions);
}

void WriteCommands(MetricsWriter& out, Server& server) {
  const auto each = [&](auto value) {
    for (const auto& entry : server.table().entries()) {
      const CommandCounts counts = server.statistics().Of(entry->id);
      if (counts.calls + counts.rejected == 0) continue;
      out.Value(value(counts), Label("command", entry->full_name));
    }
  };
  out.Begin("mayfly_commands_total", "counter", "Commands that ran.");
  each([](const CommandCounts& counts) { return counts.calls; });
  out.Begin("mayfly_commands_failed_total", "counter", "Commands that answered an error.");
  each([](const CommandCounts& counts) { return counts.failed; });
  out.Begin("mayfly_commands_rejected_total", "counter", "Commands that were not run.");
  each([](const CommandCounts& counts) { return counts.rejected; });
  out.Begin("mayfly_commands_seconds_total", "counter", "Time spent in commands.");
  each([](const CommandCounts& counts) {
    return static_cast<double>(counts.micros) / kMicrosPerSecond;
  });
}

// By family, and not by command: a histogram has fifteen lines.
void WriteLatencies(MetricsWriter& out, Server& server) {
  std::map<std::string_view, CommandCounts> families;
  for (const auto& entry : server.table().entries()) {
    const CommandCounts counts = server.statistics().Of(entry->id);
    if (counts.calls == 0) continue;
    CommandCounts& family = families[entry->group];
    family.calls += counts.calls;
    family.micros += counts.micros;
    for (std::size_t i = 0; i < counts.latencies.size(); ++i) {
      family.latencies[i] += counts.latencies[i];
    }
  }
  out.Begin("mayfly_command_duration_seconds", "histogram", "Time that commands took, by family.");
  for (const auto& [group, counts] : families) out.Histogram(counts, Label("family", group));
}

void WriteRequests(MetricsWriter& out, const RequestStatistics& requests) {
  const auto all = requests.All();
  out.Begin("mayfly_dynamodb_requests_failed_total", "counter",
            "Requests of DynamoDB's API that were answered with an error.");
  for (const auto& [name, counts] : all) out.Value(counts.failed, Label("operation", name));
  out.Begin("mayfly_dynamodb_request_duration_seconds", "histogram",
            "Time that requests of DynamoDB's API took, those answered together as one.");
  for (const auto& [name, counts] : all) out.Histogram(counts, Label("operation", name));
}

void WriteKeyspaces(MetricsWriter& out, const Statistics& statistics) {
  const auto each = [&](auto value) {
    for (const KeyspaceStatistics& keyspace : statistics.keyspaces) {
      out.Value(value(keyspace), Label("keyspace", keyspace.name));
    }
  };
  out.Begin("mayfly_rows", "gauge", "Rows stored, dead ones included.");
  each([](const KeyspaceStatistics& keyspace) { return keyspace.rows; });
  out.Begin("mayfly_rows_expiring", "gauge", "Rows with a deadline.");
  each([](const KeyspaceStatistics& keyspace) { return keyspace.mortal_rows; });
  out.Begin("mayfly_purge_backlog_rows", "gauge", "Dead rows that are not purged yet.");
  each([](const KeyspaceStatistics& keyspace) { return keyspace.due_rows; });
  out.Begin("mayfly_purge_lag_seconds", "gauge", "How long the oldest of them has been dead.");
  each([](const KeyspaceStatistics& keyspace) { return Seconds(keyspace.lag); });
  out.Begin("mayfly_purge_backlog_members", "gauge",
            "Dead members of living collections that are not purged yet; 10000: or more.");
  each([](const KeyspaceStatistics& keyspace) { return keyspace.due_members; });
  out.Begin("mayfly_purge_backlog_collections", "gauge",
            "Collections that are gone and whose members are not removed yet.");
  each([](const KeyspaceStatistics& keyspace) { return keyspace.orphans; });
}

void WritePromises(MetricsWriter& out, const Statistics& statistics) {
  const auto each = [&](auto value) {
    for (const KeyspaceStatistics& keyspace : statistics.keyspaces) {
      if (!keyspace.purge_within) continue;
      out.Value(value(keyspace), Label("keyspace", keyspace.name));
    }
  };
  out.Begin("mayfly_promise_seconds", "gauge", "purge-within of keyspaces that promise it.");
  each([&](const KeyspaceStatistics& keyspace) { return Seconds(*keyspace.purge_within); });
  out.Begin("mayfly_promise_overdue_seconds", "gauge",
            "How long ago bytes should have been gone that are not; 0: the promise is kept.");
  each([&](const KeyspaceStatistics& keyspace) { return Seconds(keyspace.promise_overdue); });
  out.Begin("mayfly_promise_purged_through_timestamp_seconds", "gauge",
            "What ended before this instant, since the epoch, is in no file any more.");
  each([&](const KeyspaceStatistics& keyspace) {
    return Seconds(Millis(ToMs(keyspace.purged_through)));
  });
}

// The state as a label, one line each, so that an alert can name it.
void WriteClock(MetricsWriter& out, const ClockReport& clock) {
  out.Begin("mayfly_clock_state", "gauge",
            "1 for the state the clock is in: ok, ahead of the machine's clock, or jumped.");
  for (const std::string_view state : {"ok", "ahead", "jumped"}) {
    out.Value(ClockState(clock) == state ? 1 : 0, Label("state", state));
  }
  out.One("mayfly_clock_deletion_stopped", "gauge",
          "1: the clock jumped, and nothing is purged until it is confirmed or taken back.",
          clock.physical_deletion_stopped ? 1 : 0);
  out.One("mayfly_clock_ahead_seconds", "gauge",
          "How far the database's time is ahead of the machine's clock.",
          Seconds(clock.now - clock.machine));
  out.One("mayfly_clock_steps_back_total", "counter", "Times the machine's clock was set back.",
          clock.steps_back);
  out.One("mayfly_clock_jumps_total", "counter", "Jumps ahead beyond clock-jump-max.",
          clock.jumps_forward);
}

// Of a server of a cluster.
void WriteCluster(MetricsWriter& out, ShardDirectory& directory) {
  out.One("mayfly_cluster_shards", "gauge", "Shards of the cluster's database.",
          directory.shards());
  out.One("mayfly_cluster_shards_here", "gauge", "Shards that this server serves.",
          directory.Here().size());
  const ClusterHealth health = directory.health();
  out.One("mayfly_cluster_store_answers", "gauge",
          "0: the store has not answered for the time of a lease.", health.store_answers ? 1 : 0);
  if (!health.clocks) return;
  using State = ClusterClocks::State;
  out.Begin(
      "mayfly_cluster_clocks", "gauge",
      "1 for how this server's clock is beside the others'; ahead and unknown hold up purges.");
  for (const State state :
       {State::kAlone, State::kAgree, State::kAhead, State::kBehind, State::kUnknown}) {
    out.Value(health.clocks->state == state ? 1 : 0, Label("state", Word(state)));
  }
  out.One("mayfly_cluster_clock_skew_seconds", "gauge",
          "Between this server's clock and the one that is furthest from it.",
          Seconds(health.clocks->skew));
  out.One("mayfly_cluster_clock_ahead_seconds", "gauge",
          "How far this server's clock is ahead of most others'; negative: behind.",
          Seconds(health.clocks->ahead));
  out.One("mayfly_cluster_clock_skew_max_seconds", "gauge", "The skew that is allowed.",
          Seconds(health.clocks->bound));
}

void WriteDatabase(MetricsWriter& out, const Statistics& statistics) {
  out.One("mayfly_purged_rows_total", "counter", "Dead rows removed.", statistics.purged_rows);
  out.One("mayfly_purged_members_total", "counter", "Dead members of collections removed.",
          statistics.purged_members);
  out.One("mayfly_events_total", "counter", "Events written since the database was made.",
          statistics.events_last);
  out.One("mayfly_events_kept", "gauge", "Events that can be read.",
          statistics.events_first == 0 ? 0 : statistics.events_last - statistics.events_first + 1);
  out.One("mayfly_commit_conflicts_total", "counter", "Commits that failed and can be tried again.",
          statistics.conflicts);
  out.One("mayfly_files_dropped_total", "counter", "Files removed because all in them was dead.",
          statistics.files_dropped);
  out.One("mayfly_files_rewritten_total", "counter", "Files rewritten without their dead rows.",
          statistics.files_rewritten);
  out.One("mayfly_rewritten_bytes_total", "counter", "Bytes of those files.",
          statistics.bytes_rewritten);
  out.One("mayfly_disk_bytes", "gauge", "Bytes in files.", statistics.disk_bytes);
  out.One("mayfly_engine_memory_bytes", "gauge", "Memory of the engine.", statistics.memory_bytes);
  out.One("mayfly_open_snapshots", "gauge", "States that hold old bytes.",
          statistics.open_snapshots);
  out.One("mayfly_damage_seen_total", "counter", "Reads and writes that met a damaged file.",
          statistics.damage_seen);
  out.One("mayfly_disk_full", "gauge",
          "1: the disk is full, and writes that add bytes are refused.",
          statistics.disk_full ? 1 : 0);
  out.One("mayfly_last_commit", "gauge",
          "The number of the last commit; readers of the same directory show theirs.",
          statistics.last_commit);
  WriteClock(out, statistics.clock);
}

std::string MetricsText(Server& server, const RequestStatistics* requests, double start_seconds) {
  MetricsWriter out;
  WriteProcess(out, start_seconds);
  WriteServer(out, server);
  WriteFollowing(out, server);
  WriteFollowers(out, server);
  if (server.cluster() != nullptr) WriteCluster(out, *server.cluster());
  WriteCommands(out, server);
  WriteLatencies(out, server);
  if (server.cluster() != nullptr) WriteCluster(out, server.cluster()->directory());
  if (requests != nullptr) WriteRequests(out, *requests);
  if (const auto statistics = GatherStatistics(server)) {
    WriteKeyspaces(out, *statistics);
    WritePromises(out, *statistics);
    WriteDatabase(out, *statistics);
  }
  return out.Take();
}

}  // namespace

void AddMetrics(http::Router& router, Server& server, const RequestStatistics* requests) {
  // Once: from scrape to scrape it must be the same.
  const double start_seconds =
      Seconds(Millis(ToMs(server.real_clock().Now()))) -
      std::chrono::duration<double>(server.Steady() - server.started()).count();
  router.Add("GET", "/health", [&server](const http::Request&) { return Health(server); });
  router.Add("GET", "/ready", [&server](const http::Request&) { return Readiness(server); });
  router.Add("GET", "/metrics", [&server, requests, start_seconds](const http::Request&) {
    return http::Response{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                          .body = MetricsText(server, requests, start_seconds)};
  });
}

}  // namespace mayfly::server
