// cluster_engine.h - an engine on all shards of a cluster that this server owns.
// The slot of an address chooses the shard; a slot that is not here is Busy, and the message names
// the server that has it. Atomic within a slot; a cursor shows one slot; a snapshot freezes each
// slot that is here, one after the other.
// Core does not run on this engine but on one of each shard (shard_engine.h), since its counters,
// catalog and index must be atomic with rows. This one is for tools and tests that want the whole.
#pragma once

#include <chrono>
#include <memory>

#include "engine/cluster/node/cluster_node.h"
#include "engine/engine.h"

namespace mayfly::engine::cluster {

// Joins the cluster with `options`, whose shards keep slots apart, and waits until this server has
// all shards, or `wait_max` is over: then Busy. Errors as those of ClusterNode::Start(). Closing it
// leaves the cluster.
Result<std::unique_ptr<Engine>> OpenClusterEngine(std::shared_ptr<ObjectStore> store,
                                                  NodeOptions options,
                                                  std::chrono::milliseconds wait_max);

}  // namespace mayfly::engine::cluster
