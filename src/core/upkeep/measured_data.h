// measured_data.h - counts what chosen keyspaces store, for a server that bounds it.
#pragma once

#include "core/store/data_meter.h"
#include "mayfly/database.h"
#include "mayfly/keyspace.h"

namespace mayfly::core {

// Null for a database that wraps another.
DataMeter* FindMeter(Database& database);

// Counts this keyspace from now on; nothing happens if it is counted already.
void BeginMeasuring(Database& database, const Keyspace& keyspace);

// Counts a page of what it stores, while no one writes to it. False: all is counted.
Result<bool> MeasureMore(Database& database, const Keyspace& keyspace);

}  // namespace mayfly::core
