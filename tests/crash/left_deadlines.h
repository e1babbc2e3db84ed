// left_deadlines.h - checks that items, entries and shadows have the deadlines of their table's
// description.
#pragma once

#include "crash/plain_tables.h"
#include "mayfly/database.h"
#include "mayfly/tables.h"

namespace mayfly::crash {

// Compares with the plain table. In mode kExact each row has its item's deadline; in the other mode
// no row has one, and there is exactly one shadow for each instant ahead. Entries of indexes have
// their items' deadlines. No job of the table's ttl is under way.
Status CompareDeadlines(Database& database, const TableDescription& table, const PlainTable& plain);

// Checks a table while such a job is under way: the job is on record, and the items are those of
// `before`, except some that the job ends. `before` and `after` are the table's states around it.
Status CheckHalfDone(Database& database, Tables& tables, const PlainTable& before,
                     const PlainTable& after);

}  // namespace mayfly::crash
