// shard_look.h - reads a shard's objects in the store, and says what is in them.
// The store is asked, and not the memory of the shard's owner: so it shows what Ceph shows. Older
// bytes in the files of OSDs do not show.
#pragma once

#include <string>

#include "engine/cluster/objects/object_store.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "server/shards/store_look.h"

namespace mayfly::cluster {

// `object`: of the shard. `find`: looked for in keys and values, those in objects of their own
// included, unless it is empty. Fails as the store does. What changes meanwhile may be missed or seen.
Result<server::StoreLook> LookInto(engine::cluster::ObjectStore& store, const std::string& object,
                                   Bytes find);

}  // namespace mayfly::cluster
