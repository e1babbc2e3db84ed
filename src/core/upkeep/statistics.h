// statistics.h - numbers about a database that is running. Rows are counted in
// one state, taken before the instant at which they are judged; what waits for its purge costs
// nothing while a purge keeps count of it (due_count.h).
#pragma once

#include "core/store/store.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

Result<Statistics> GatherStatistics(Store& store);

}  // namespace mayfly::core
