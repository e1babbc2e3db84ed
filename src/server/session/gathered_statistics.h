// gathered_statistics.h - the statistics of all rows of clients that this server has.
#pragma once

#include "mayfly/database.h"
#include "mayfly/result.h"

namespace mayfly::server {

class Server;

// Those of the database; on a cluster, of the databases of the shards here: amounts are added, of lags
// the longest is taken, and the clock is the one that is ahead of the others. Fails as
// Database::GetStatistics().
Result<Statistics> GatherStatistics(Server& server);

}  // namespace mayfly::server
