// table_figures.h - the description of a table with its counts.
#pragma once

#include "mayfly/result.h"
#include "mayfly/tables.h"
#include "tables/schema/table.h"

namespace mayfly::tables {

// Items are counted exactly, dead ones excluded; bytes are estimated from a sample. The caller uses
// or changes the table.
Result<TableDescription> DescribeTable(const Table& table);

}  // namespace mayfly::tables
