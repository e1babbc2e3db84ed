// table_check.h - validates the description of a table.
#pragma once

#include <string>

#include "mayfly/status.h"
#include "mayfly/tables.h"

namespace mayfly::tables {

// Invalid, in DynamoDB's words where it has some: names, keys, indexes, projections, schemas. For a
// new table, and for the result of a change.
Status CheckTable(const TableSpec& spec);

}  // namespace mayfly::tables
