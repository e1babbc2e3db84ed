// table_check.h - what a table may look like.
#pragma once

#include <string>

#include "mayfly/status.h"
#include "mayfly/tables.h"

namespace mayfly::tables {

// Invalid, in DynamoDB's words where it has some: names, keys, indexes, projections, schemas. Of a
// new table, and of one as it would be after a change.
Status CheckTable(const TableSpec& spec);

}  // namespace mayfly::tables
