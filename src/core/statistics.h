// statistics.h - numbers about a database that is running. Costs a walk over what is dead and not
// yet purged.
#pragma once

#include "core/store.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

Result<Statistics> GatherStatistics(Store& store);

}  // namespace mayfly::core
