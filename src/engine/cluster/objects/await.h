// await.h - calls of a store that wait for their reply.
//   MAYFLY_TRY(const auto values, AwaitKeys(store, object, {"owner"}));
// Never from within a reply: it would wait for itself.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/cluster/objects/object_store.h"

namespace mayfly::engine::cluster {

Result<MapPage> AwaitPage(ObjectStore& store, const std::string& object, const std::string& after,
                          std::size_t entries_max);
Result<std::vector<std::string>> AwaitKeys(ObjectStore& store, const std::string& object,
                                           std::vector<std::string> keys);
Status AwaitWrite(ObjectStore& store, const std::string& object,
                  std::shared_ptr<const MapWrite> write);
Status AwaitWriteObject(ObjectStore& store, const std::string& object, std::string bytes);
Result<std::string> AwaitObject(ObjectStore& store, const std::string& object);
Status AwaitRemoval(ObjectStore& store, const std::string& object);

}  // namespace mayfly::engine::cluster
