// statistics.h - gathers the statistics of a running database. Rows are counted in one state, taken
// before the instant at which they are judged. Rows that wait for their purge cost nothing while a
// purge maintains their count (due_count.h).
#pragma once

#include "core/store/store.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

Result<Statistics> GatherStatistics(Store& store);

}  // namespace mayfly::core
