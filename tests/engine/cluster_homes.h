// cluster_homes.h - homes of the cluster's engines, on any store of objects.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/cluster/node/cluster_node.h"
#include "engine/cluster/objects/object_store.h"
#include "tests/engine/engine_home.h"

namespace mayfly::engine::suite {

// A connection to the same objects, again and again; and a name for a database of the home's own.
struct ObjectSource {
  std::function<std::shared_ptr<cluster::ObjectStore>()> connect;
  std::string database;
};

// Ownership in small steps, so that a server has its shards within tens of milliseconds.
cluster::OwnershipOptions QuickOwnership();

// An engine of one shard, as core uses it: atomic across slots.
std::unique_ptr<EngineHome> NewShardHome(const ObjectSource& source);

// An engine over a node that owns all shards: atomic within a slot.
std::unique_ptr<EngineHome> NewClusterHome(ObjectSource source);

// Both on objects in memory.
EngineKind ShardKind();
EngineKind ClusterKind();

}  // namespace mayfly::engine::suite
