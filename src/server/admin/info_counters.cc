#include "server/admin/info_counters.h"

#include <fmt/format.h>

#include "server/config/setting_value.h"
#include "server/stats/clock_words.h"

namespace mayfly::server::admin {
namespace {

constexpr double kKilo = 1024;
constexpr std::uint64_t kNanosPerMilli = 1'000'000;

// An average over the keys that die next: the index is in that order, and reading all of it would
// take time in proportion to the keys. On a cluster, over those of the first shards here.
std::int64_t AverageTtl(std::span<const std::shared_ptr<ServedDatabase>> here, std::size_t number,
                        WallTime now) {
  constexpr std::size_t kSampled = 100;
  std::int64_t sum = 0;
  std::size_t sampled = 0;
  for (const auto& data : here) {
    const auto mapping = data->databases.mapping();
    const auto soonest =
        (*mapping)[number]->ScanDeadlines({.begin = now, .rows_max = kSampled - sampled});
    if (!soonest) return 0;
    for (const DeadlineEntry& entry : *soonest) sum += (entry.deadline - now).count();
    sampled += soonest->size();
    if (sampled == kSampled) break;
  }
  return sampled == 0 ? 0 : sum / static_cast<std::int64_t>(sampled);
}

}  // namespace

std::string StatsSection(InfoSource& source) {
  Server& server = source.server();
  const auto totals = server.statistics().totals();
  const Rates rates = server.throughput().At(server.Steady(), totals);
  const Statistics* statistics = source.statistics();
  const Publisher::Counts channels = server.publisher().counts();
  const LeadFigures led = server.leading() != nullptr ? server.leading()->figures() : LeadFigures();
  const TrackingTable::Figures tracked = server.tracking().figures();
  return fmt::format(
      "total_connections_received:{}\r\ntotal_commands_processed:{}\r\n"
      "instantaneous_ops_per_sec:{:.0f}\r\ntotal_net_input_bytes:{}\r\n"
      "total_net_output_bytes:{}\r\ntotal_net_repl_input_bytes:0\r\n"
      "total_net_repl_output_bytes:0\r\ninstantaneous_input_kbps:{:.2f}\r\n"
      "instantaneous_output_kbps:{:.2f}\r\nrejected_connections:{}\r\nsync_full:{}\r\n"
      "sync_partial_ok:{}\r\nsync_partial_err:{}\r\nexpired_subkeys:{}\r\nexpired_keys:{}\r\n"
      "expired_stale_perc:0.00\r\nexpired_time_cap_reached_count:0\r\nevicted_keys:{}\r\n"
      "evicted_clients:0\r\nkeyspace_hits:{}\r\nkeyspace_misses:{}\r\npubsub_channels:{}\r\n"
      "pubsub_patterns:{}\r\npubsubshard_channels:{}\r\nlatest_fork_usec:0\r\ntotal_forks:0\r\n"
      "migrate_cached_sockets:0\r\nslave_expires_tracked_keys:0\r\ntracking_total_keys:{}\r\n"
      "tracking_total_items:{}\r\ntracking_total_prefixes:{}\r\nunexpected_error_replies:0\r\n"
      "total_error_replies:{}\r\ntotal_reads_processed:{}\r\ntotal_writes_processed:{}\r\n"
      "instantaneous_input_repl_kbps:0.00\r\ninstantaneous_output_repl_kbps:0.00\r\n"
      "total_eviction_exceeded_time:{}\r\ncurrent_eviction_exceeded_time:0\r\n"
      "active_defrag_hits:0\r\nactive_defrag_misses:0\r\nactive_defrag_key_hits:0\r\n"
      "active_defrag_key_misses:0\r\ntotal_active_defrag_time:0\r\n"
      "current_active_defrag_time:0\r\n",
      server.clients().accepted(), totals.commands, rates.commands, totals.bytes_in,
      totals.bytes_out, rates.bytes_in / kKilo, rates.bytes_out / kKilo,
      server.clients().rejected(), led.full_copies, led.resumptions, led.refused_resumptions,
      statistics != nullptr ? statistics->purged_members : 0,
      statistics != nullptr ? statistics->purged_rows : 0, server.data_limit().evicted.load(),
      totals.hits, totals.misses, channels.channels, channels.patterns, channels.shard_channels,
      tracked.keys, tracked.items, tracked.prefixes, server.statistics().errors_total(),
      totals.commands, totals.batches, server.data_limit().late_nanos.load() / kNanosPerMilli);
}

std::string CommandStatsSection(InfoSource& source) {
  Server& server = source.server();
  std::string text;
  for (const auto& entry : server.table().entries()) {
    const CommandCounts counts = server.statistics().Of(entry->id);
    if (counts.calls + counts.rejected == 0) continue;
    const double per_call =
        counts.calls == 0 ? 0
                          : static_cast<double>(counts.micros) / static_cast<double>(counts.calls);
    text += fmt::format(
        "cmdstat_{}:calls={},usec={},usec_per_call={:.2f},rejected_calls={},failed_calls={}\r\n",
        entry->full_name, counts.calls, counts.micros, per_call, counts.rejected, counts.failed);
  }
  return text;
}

std::string ErrorStatsSection(InfoSource& source) {
  Server& server = source.server();
  std::string text;
  for (const auto& [word, count] : server.statistics().errors()) {
    text += fmt::format("errorstat_{}:count={}\r\n", word, count);
  }
  return text;
}

std::string LatencyStatsSection(InfoSource& source) {
  Server& server = source.server();
  std::string text;
  const auto percentiles =
      ReadPercentiles(server.config().Text(Setting::kLatencyTrackingInfoPercentiles))
          .value_or(std::vector<double>());
  for (const auto& entry : server.table().entries()) {
    const CommandCounts counts = server.statistics().Of(entry->id);
    if (CountOf(counts.latencies) == 0) continue;
    text += fmt::format("latency_percentiles_usec_{}:", entry->full_name);
    for (std::size_t i = 0; i < percentiles.size(); ++i) {
      text += fmt::format("{}p{}={:.3f}", i == 0 ? "" : ",", percentiles[i],
                          static_cast<double>(Percentile(counts.latencies, percentiles[i])));
    }
    text += "\r\n";
  }
  return text;
}

std::string KeyspaceSection(InfoSource& source) {
  Server& server = source.server();
  const Statistics* statistics = source.statistics();
  if (statistics == nullptr) return "";
  std::string text;
  const auto here = server.DataHere();
  if (here.empty()) return "";
  const auto mapping = here.front()->databases.mapping();
  for (std::size_t i = 0; i < mapping->size(); ++i) {
    if ((*mapping)[i] == nullptr) continue;
    for (const KeyspaceStatistics& keyspace : statistics->keyspaces) {
      if (keyspace.name != (*mapping)[i]->name() || keyspace.rows <= keyspace.due_rows) continue;
      const std::uint64_t keys = keyspace.rows - keyspace.due_rows;
      // Dead keys are in the count until they are purged.
      const std::uint64_t subexpiry = std::min(keyspace.collections_with_mortal_members, keys);
      text += fmt::format("db{}:keys={},expires={},avg_ttl={},subexpiry={}\r\n", i, keys,
                          keyspace.mortal_rows - keyspace.due_rows,
                          AverageTtl(here, i, statistics->clock.now), subexpiry);
    }
  }
  return text;
}

std::string MayflySection(InfoSource& source) {
  Server& server = source.server();
  const Statistics* statistics = source.statistics();
  if (statistics == nullptr) return "";
  std::uint64_t backlog = 0;
  Millis lag(0);
  for (const KeyspaceStatistics& keyspace : statistics->keyspaces) {
    backlog += keyspace.due_rows;
    lag = std::max(lag, keyspace.lag);
  }
  return fmt::format(
      "purge_backlog_rows:{}\r\npurge_lag_ms:{}\r\npurged_rows:{}\r\npurged_by_reads:{}\r\n"
      "stale_entries:{}\r\nevents_first:{}\r\nevents_last:{}\r\ndisk_bytes:{}\r\n"
      "engine_memory_bytes:{}\r\nopen_snapshots:{}\r\nfiles_dropped:{}\r\nfiles_rewritten:{}\r\n"
      "bytes_rewritten:{}\r\nclock_state:{}\r\nclock_ahead_ms:{}\r\nclock_steps_back:{}\r\n"
      "clock_jumps_forward:{}\r\nphysical_deletion_stopped:{}\r\ndamage_seen:{}\r\n"
      "disk_full:{}\r\ndata_bytes:{}\r\ndata_bytes_max:{}\r\ndata_counted:{}\r\n"
      "batches_committed:{}\r\nwatched_keys:{}\r\n"
      "waiting_clients:{}\r\n",
      backlog, lag.count(), statistics->purged_rows, statistics->purged_by_reads,
      statistics->stale_entries, statistics->events_first, statistics->events_last,
      statistics->disk_bytes, statistics->memory_bytes, statistics->open_snapshots,
      statistics->files_dropped, statistics->files_rewritten, statistics->bytes_rewritten,
      ClockState(statistics->clock), (statistics->clock.now - statistics->clock.machine).count(),
      statistics->clock.steps_back, statistics->clock.jumps_forward,
      statistics->clock.physical_deletion_stopped ? 1 : 0, statistics->damage_seen,
      statistics->disk_full ? 1 : 0, server.data_limit().bytes(), server.data_limit().max(),
      server.data_limit().is_counted() ? 1 : 0, server.statistics().totals().batches,
      server.watches().size(), server.waiting().size());
}

}  // namespace mayfly::server::admin
