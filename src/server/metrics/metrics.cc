#include "server/metrics/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "server/admin/memory_figures.h"
#include "server/stats/clock_words.h"

namespace mayfly::server {
namespace {

constexpr double kMicrosPerSecond = 1e6;
constexpr double kMsPerSecond = 1e3;

class MetricsWriter {
 public:
  void Begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
  }
  template <typename Number>
  void Value(Number value, const std::string& labels = "") {
    text_ += labels.empty() ? fmt::format("{} {}\n", name_, value)
                            : fmt::format("{}{{{}}} {}\n", name_, labels, value);
  }
  template <typename Number>
  void One(std::string_view name, std::string_view type, std::string_view help, Number value) {
    Begin(name, type, help);
    Value(value);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string name_;
  std::string text_;
};

void WriteServer(MetricsWriter& out, Server& server) {
  const auto up = std::chrono::duration<double>(server.Steady() - server.started()).count();
  const auto totals = server.statistics().totals();
  out.One("mayfly_uptime_seconds", "gauge", "Since the server began.", up);
  out.One("mayfly_clients", "gauge", "Connected clients.", server.clients().size());
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
  const admin::MemoryFigures memory = admin::ReadMemoryFigures();
  out.One("mayfly_resident_memory_bytes", "gauge", "Memory of the process.", memory.resident_bytes);
}

void WriteCommands(MetricsWriter& out, Server& server) {
  const auto each = [&](auto value) {
    for (const auto& entry : server.table().entries()) {
      const CommandCounts counts = server.statistics().Of(entry->id);
      if (counts.calls + counts.rejected == 0) continue;
      out.Value(value(counts), fmt::format("command=\"{}\"", entry->full_name));
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

void WriteKeyspaces(MetricsWriter& out, const Statistics& statistics) {
  const auto each = [&](auto value) {
    for (const KeyspaceStatistics& keyspace : statistics.keyspaces) {
      out.Value(value(keyspace), fmt::format("keyspace=\"{}\"", keyspace.name));
    }
  };
  out.Begin("mayfly_rows", "gauge", "Rows stored, dead ones included.");
  each([](const KeyspaceStatistics& keyspace) { return keyspace.rows; });
  out.Begin("mayfly_rows_expiring", "gauge", "Rows with a deadline.");
  each([](const KeyspaceStatistics& keyspace) { return keyspace.mortal_rows; });
  out.Begin("mayfly_purge_backlog_rows", "gauge", "Dead rows that are not purged yet.");
  each([](const KeyspaceStatistics& keyspace) { return keyspace.due_rows; });
  out.Begin("mayfly_purge_lag_seconds", "gauge", "How long the oldest of them has been dead.");
  each([](const KeyspaceStatistics& keyspace) {
    return static_cast<double>(keyspace.lag.count()) / kMsPerSecond;
  });
}

void WritePromises(MetricsWriter& out, const Statistics& statistics) {
  const auto each = [&](auto value) {
    for (const KeyspaceStatistics& keyspace : statistics.keyspaces) {
      if (!keyspace.purge_within) continue;
      out.Value(value(keyspace), fmt::format("keyspace=\"{}\"", keyspace.name));
    }
  };
  const auto seconds = [](Millis length) {
    return static_cast<double>(length.count()) / kMsPerSecond;
  };
  out.Begin("mayfly_promise_seconds", "gauge", "purge-within of keyspaces that promise it.");
  each([&](const KeyspaceStatistics& keyspace) { return seconds(*keyspace.purge_within); });
  out.Begin("mayfly_promise_overdue_seconds", "gauge",
            "How long ago bytes should have been gone that are not; 0: the promise is kept.");
  each([&](const KeyspaceStatistics& keyspace) { return seconds(keyspace.promise_overdue); });
}

void WriteDatabase(MetricsWriter& out, const Statistics& statistics) {
  out.One("mayfly_purged_rows_total", "counter", "Dead rows removed.", statistics.purged_rows);
  out.One("mayfly_events_last", "counter", "Sequence of the newest event.", statistics.events_last);
  out.One("mayfly_events_first", "counter", "Sequence of the oldest event kept.",
          statistics.events_first);
  out.One("mayfly_disk_bytes", "gauge", "Bytes in files.", statistics.disk_bytes);
  out.One("mayfly_engine_memory_bytes", "gauge", "Memory of the engine.", statistics.memory_bytes);
  out.One("mayfly_open_snapshots", "gauge", "States that hold old bytes.",
          statistics.open_snapshots);
  out.One("mayfly_damage_seen_total", "counter", "Reads and writes that met a damaged file.",
          statistics.damage_seen);
  out.One("mayfly_disk_full", "gauge",
          "1: the disk is full, and writes that add bytes are refused.",
          statistics.disk_full ? 1 : 0);
  out.One("mayfly_clock_deletion_stopped", "gauge",
          "1: the clock jumped, and nothing is purged until it is confirmed or taken back.",
          statistics.clock.physical_deletion_stopped ? 1 : 0);
  out.One("mayfly_clock_ahead_seconds", "gauge",
          "How far the database's time is ahead of the machine's clock.",
          static_cast<double>((statistics.clock.now - statistics.clock.machine).count()) /
              kMsPerSecond);
  out.One("mayfly_clock_steps_back_total", "counter", "Times the machine's clock was set back.",
          statistics.clock.steps_back);
  out.One("mayfly_clock_jumps_total", "counter", "Jumps ahead beyond clock-jump-max.",
          statistics.clock.jumps_forward);
}

http::Response Health(Server& server) {
  const auto statistics = server.database().GetStatistics();
  // First, because it may be the cause of the next.
  if (statistics && statistics->disk_full) {
    return {.status = 503,
            .body = "the disk is full: writes that add bytes are refused; free some space\n"};
  }
  if (!server.last_save_ok) {
    return {.status = 503, .body = "commits cannot be made durable\n"};
  }
  if (!statistics) return {.status = 503, .body = statistics.error().ToString() + "\n"};
  if (statistics->damage_seen > 0) {
    return {.status = 503, .body = "storage is damaged: " + statistics->first_damage + "\n"};
  }
  // Every key is served correctly; only space waits. So a balancer need not turn away.
  const std::string clock = ClockAdvice(statistics->clock);
  return {.body = clock.empty() ? "ok\n" : "ok\n" + clock + "\n"};
}

}  // namespace

std::string MetricsText(Server& server) {
  MetricsWriter out;
  WriteServer(out, server);
  WriteCommands(out, server);
  if (const auto statistics = server.database().GetStatistics()) {
    WriteKeyspaces(out, *statistics);
    WritePromises(out, *statistics);
    WriteDatabase(out, *statistics);
  }
  return out.Take();
}

void AddMetrics(http::Router& router, Server& server) {
  router.Add("GET", "/health", [&server](const http::Request&) { return Health(server); });
  router.Add("GET", "/metrics", [&server](const http::Request&) {
    return http::Response{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                          .body = MetricsText(server)};
  });
}

}  // namespace mayfly::server
