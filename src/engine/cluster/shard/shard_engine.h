// shard_engine.h - an engine on one shard of a cluster.
// Reads come from memory and cost no network while the server's lease holds; commits are one write
// of the store, shared by all that wait (shard.h). With ShardOptions::by_slot false it is atomic
// across all slots, so core runs on it as on an engine of one machine.
// When the shard is lost, every call returns Busy: "owned by another server". There is no code of
// its own for that: a server that meets it asks its node where the shard is, and so finds out more
// than a code could tell.
// What a snapshot or cursor shows is of the moment it was made, and stays readable when the shard
// is lost meanwhile: it was right then.
#pragma once

#include <memory>

#include "engine/cluster/shard/shard.h"
#include "engine/engine.h"

namespace mayfly::engine::cluster {

// The shard is shared with the node that stops it.
std::unique_ptr<Engine> NewShardEngine(std::shared_ptr<Shard> shard);

}  // namespace mayfly::engine::cluster
