// rocks_deadlines.h - properties of each SST file: its DeadlineStats and number of old versions.
// Gathered while the file is written, by asking the DropPolicy for each pair's deadline; read back
// without opening a data block.
#pragma once

#include <rocksdb/table_properties.h>

#include <memory>

#include "engine/deadline_stats.h"
#include "engine/drop_policy.h"
#include "mayfly/result.h"

namespace mayfly::engine {

std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> NewDeadlineCollectorFactory(
    std::shared_ptr<const DropPolicy> policy, Role role);

// The statistics of a file; empty for a file written without a policy.
Result<DeadlineStats> DeadlinesOf(const rocksdb::TableProperties& properties);

// Older versions of keys that have a newer one in the file. 1 if the file has no such count.
std::uint64_t CoveredIn(const rocksdb::TableProperties& properties);

}  // namespace mayfly::engine
