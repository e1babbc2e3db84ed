// left_deadlines.h - looks whether items, entries and shadows die when their table's description
// says so.
#pragma once

#include "crash/plain_tables.h"
#include "mayfly/database.h"
#include "mayfly/tables.h"

namespace mayfly::crash {

// The rows of the items as the plain table has them: in mode kExact each has its item's deadline;
// in the other none has, and there is a shadow in its place for each instant ahead, and no other.
// Entries of indexes have their items' deadlines. No job of the table's ttl is under way.
Status CompareDeadlines(Database& database, const TableDescription& table, const PlainTable& plain);

// While such a job is under way: it is on record, and items are those before it, but for some that
// it ends. `before` and `after` it.
Status CheckHalfDone(Database& database, Tables& tables, const PlainTable& before,
                     const PlainTable& after);

}  // namespace mayfly::crash
