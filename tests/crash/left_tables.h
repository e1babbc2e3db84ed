// left_tables.h - compares tables with the plain tables of the model.
// A difference is returned as a Status, like any other error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "crash/plain_tables.h"
#include "mayfly/database.h"
#include "mayfly/tables.h"

namespace mayfly::crash {

// The progress of a table's job: 0 when there is none, else more with each item.
Result<std::uint64_t> JobProgress(Database& database, const std::string& table);

// The items of all pages.
Result<std::vector<Item>> AllItems(Tables& tables, ScanRequest request);

// Finishes jobs, writes deaths to streams, and purges dead rows.
Status Settle(Database& database, Tables& tables);

// Compares items, deadlines, indexes, counts, streams and keyspaces. `settled`: nothing has
// happened since Settle(), so all deaths are on record and all indexes filled.
Status Compare(Database& database, Tables& tables, const PlainTables& plain, bool settled);

}  // namespace mayfly::crash
