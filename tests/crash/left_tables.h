// left_tables.h - looks whether tables are what they should be.
// A difference is told as a Status, like anything else that can be wrong with them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crash/plain_tables.h"
#include "mayfly/database.h"
#include "mayfly/tables.h"

namespace mayfly::crash {

// How far the job of a table has come: 0 when there is none, else more with each item.
Result<std::uint64_t> JobProgress(Database& database, const std::string& table);

// All pages.
Result<std::vector<Item>> AllItems(Tables& tables, ScanRequest request);

// Runs what is left of jobs, tells deaths to streams, and purges what is dead.
Status Settle(Database& database, Tables& tables);

// Items, deadlines, indexes, figures, streams and keyspaces. `settled`: nothing has happened since
// Settle(), so all deaths are on record and all indexes filled.
Status Compare(Database& database, Tables& tables, const PlainTables& plain, bool settled);

}  // namespace mayfly::crash
