#include "server/metrics/cluster_metrics.h"

#include <algorithm>
#include <chrono>

namespace mayfly::server {
namespace {

std::size_t CountMembers(const ClusterView& view, ClusterMember::State state) {
  return static_cast<std::size_t>(
      std::count_if(view.members.begin(), view.members.end(),
                    [&](const ClusterMember& member) { return member.state == state; }));
}

void WriteShards(MetricsWriter& out, ShardDirectory& directory, const ClusterFigures& figures) {
  const auto view = directory.view();
  const auto own = std::count_if(view->owners.begin(), view->owners.end(), [&](std::size_t owner) {
    return owner != ClusterView::kNobody && view->members[owner].is_self;
  });
  const auto nobodys = std::count(view->owners.begin(), view->owners.end(), ClusterView::kNobody);
  out.One("mayfly_cluster_shards", "gauge", "Shards of the database.", directory.shards());
  out.One("mayfly_cluster_shards_owned", "gauge", "Shards that this server owns.", own);
  out.One("mayfly_cluster_shards_served", "gauge", "Of these, the ones it answers for.",
          directory.Here().size());
  out.One("mayfly_cluster_shards_without_owner", "gauge",
          "Shards that nobody serves, as far as this server knows.", nobodys);
  out.Begin("mayfly_cluster_servers", "gauge", "Servers that this one knows, itself included.");
  out.Value(CountMembers(*view, ClusterMember::State::kReachable), Label("state", "reachable"));
  out.Value(CountMembers(*view, ClusterMember::State::kSilent), Label("state", "silent"));
  out.Begin("mayfly_cluster_shards_gained_total", "counter",
            "Shards that became this server's: claimed of nobody, of one that died, or offered.");
  out.Value(figures.taken_over, Label("how", "taken_over"));
  out.Value(figures.received, Label("how", "handed_over"));
  out.One("mayfly_cluster_shards_given_total", "counter", "Shards handed over to other servers.",
          figures.given);
  out.One("mayfly_cluster_servers_ended_total", "counter",
          "Silent servers that this one ended, so that their shards can be taken over.",
          figures.servers_ended);
  out.Begin("mayfly_cluster_shard_opening_duration_seconds", "histogram",
            "Time from the claim of a shard until its rows are in memory.");
  out.Histogram(figures.openings);
  out.One("mayfly_cluster_shard_openings_failed_total", "counter",
          "Shards that could not be read, and are tried again.", figures.openings_failed);
}

void WriteLease(MetricsWriter& out, const ClusterFigures& figures) {
  out.One("mayfly_cluster_lease_held", "gauge", "1: the server's lease holds.",
          figures.is_in ? 1 : 0);
  out.One("mayfly_cluster_lease_renewals_total", "counter", "Renewals of the lease.",
          figures.renewals);
  out.One("mayfly_cluster_lease_lapses_total", "counter",
          "Renewals after the lease had run out; reads were confirmed by the store meanwhile.",
          figures.lapses);
  out.One("mayfly_cluster_lease_losses_total", "counter",
          "Times another server ended this one, and took its shards.", figures.losses);
  out.One("mayfly_cluster_clock_withdrawn", "gauge",
          "1: the clock runs beyond the bound, and the server has given its shards away.",
          figures.is_withdrawn ? 1 : 0);
}

void WriteStore(MetricsWriter& out, const ClusterFigures& figures) {
  out.Begin("mayfly_cluster_store_write_duration_seconds", "histogram",
            "Time of writes of shards; each carries all commits that waited.");
  out.Histogram(figures.writes);
  out.One("mayfly_cluster_store_commits_total", "counter", "Commits that these writes carried.",
          figures.commits);
  out.One("mayfly_cluster_store_keys_total", "counter",
          "Keys that they set or removed; a row with a deadline is two.", figures.keys);
  out.One("mayfly_cluster_store_resends_total", "counter",
          "Writes sent again, since their outcome was unknown.", figures.resends);
  out.One("mayfly_cluster_store_confirmed_reads_total", "counter",
          "Reads that asked the store, since the lease had run out.", figures.confirmed_reads);
  out.One("mayfly_cluster_store_stall_seconds", "gauge",
          "How long writes wait without an answer to any of them; 0: none waits.",
          std::chrono::duration<double>(figures.stall).count());
}

}  // namespace

void WriteCluster(MetricsWriter& out, ClusterSide& cluster) {
  const ClusterFigures figures = cluster.directory().figures();
  WriteShards(out, cluster.directory(), figures);
  WriteLease(out, figures);
  WriteStore(out, figures);
  out.One("mayfly_cluster_forwarded_commands_total", "counter",
          "Commands of clients sent to other servers.", cluster.forwards().commands.load());
  out.Begin("mayfly_cluster_forward_duration_seconds", "histogram",
            "Time until their replies came, those sent together as one; not of ones that wait for "
            "keys.");
  out.Histogram(cluster.forwards().durations.Read());
}

}  // namespace mayfly::server
