// rados_objects.h - a pool of Ceph as a store of objects: a map is an object's omap.
//   write of a map   one ObjectWriteOperation: create, omap_cmp, omap_rm_keys, omap_set
//   plain object     write_full, read, remove
// RADOS compares an absent key as empty, returns at most 1,024 entries of a map at once, and
// answers
// -ETIMEDOUT when an operation is given up, which may happen all the same.
// This folder alone includes librados' headers. Callbacks come from librados' own thread.
#pragma once

#include <memory>

#include "engine/cluster/objects/object_store.h"
#include "engine/cluster/plugin/rados_options.h"

namespace mayfly::engine::cluster {

// Errors as those of OpenRados().
Result<std::shared_ptr<ObjectStore>> ConnectRados(const RadosOptions& options);

}  // namespace mayfly::engine::cluster
