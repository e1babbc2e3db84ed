// rocks_drop_filter.h - a compaction filter that asks the DropPolicy.
// A dead pair becomes a tombstone, which RocksDB carries down until no older version can lie
// beneath it: an older version never comes back. The filter also keeps the pace of a compaction
// that has one (compaction_pace.h).
#pragma once

#include <rocksdb/compaction_filter.h>

#include <memory>

#include "engine/drop_policy.h"

namespace mayfly::engine {

// A new judge per compaction of `role`, so that each compaction decides at one instant.
std::shared_ptr<rocksdb::CompactionFilterFactory> NewDropFilterFactory(
    std::shared_ptr<const DropPolicy> policy, Role role);

}  // namespace mayfly::engine
