// cluster_texts.h - a cluster as Redis 7.0 describes it to clients.
#pragma once

#include <string>

#include "server/shards/cluster_health.h"
#include "server/shards/cluster_view.h"
#include "wire/reply_writer.h"

namespace mayfly::server {

// CLUSTER SLOTS: ranges in order, each with its server. Slots that are nobody's are left out, as
// Redis does.
void WriteSlots(const ClusterView& view, ReplyWriter& reply);

// CLUSTER SHARDS: all servers, also those without slots.
void WriteShards(const ClusterView& view, ReplyWriter& reply);

// CLUSTER NODES, CLUSTER INFO. While the store does not answer the state is "fail", as nothing is
// served.
std::string NodesText(const ClusterView& view);
std::string ClusterInfoText(const ClusterView& view, const ClusterHealth& health);

}  // namespace mayfly::server
