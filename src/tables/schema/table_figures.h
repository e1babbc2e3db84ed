// table_figures.h - what a table is and how much is in it.
#pragma once

#include "mayfly/result.h"
#include "mayfly/tables.h"
#include "tables/schema/table.h"

namespace mayfly::tables {

// Items are counted exactly, dead ones excluded; bytes are reckoned from a few of them. The caller
// uses or changes the table.
Result<TableDescription> DescribeTable(const Table& table);

}  // namespace mayfly::tables
