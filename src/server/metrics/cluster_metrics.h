// cluster_metrics.h - what a server of a cluster shows of its part: shards, lease, store, forwarding.
// The number of lines is fixed: sums over the server's shards, and none by shard.
#pragma once

#include "server/metrics/metrics_writer.h"
#include "server/session/cluster_side.h"

namespace mayfly::server {

void WriteCluster(MetricsWriter& out, ClusterSide& cluster);

}  // namespace mayfly::server
