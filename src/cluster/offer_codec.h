// offer_codec.h - what a server sends to another one when it has released a shard for it.
//   | shard u16, big endian | OwnerRecord, as it stands in the shard |
#pragma once

#include <string>

#include "engine/cluster/node/cluster_node.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::cluster {

std::string Encode(const engine::cluster::ShardOffer& offer);

// Corruption when the bytes are no offer; Unsupported for a later version of the record.
Result<engine::cluster::ShardOffer> DecodeOffer(Bytes bytes);

}  // namespace mayfly::cluster
