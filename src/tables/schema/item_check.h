// item_check.h - whether an item may be stored in a table. The errors are DynamoDB's, but for
// schemas, which it does not have.
#pragma once

#include <cstdint>

#include "mayfly/item.h"
#include "mayfly/status.h"
#include "tables/schema/table.h"

namespace mayfly::tables {

// Checks an item by itself: names, sets, nesting.
Status CheckForm(const Item& item);

// Checks a whole item that is put against its table, its keys (KeyOfItem) and its form aside: keys
// of indexes, size, the schema of its partition.
Status CheckNewItem(const Table& table, const Item& item);

// The same, and the form, for the result of an update of `before`. Unchanged attributes were
// accepted before, perhaps under another description, and stay.
Status CheckUpdatedItem(const Table& table, const Item& before, const Item& after);

// Of the items of a transaction together.
Status CheckTransactBytes(std::uint64_t bytes);

// Checks the schema with the longest prefix of the partition key. In item_schema.cc.
Status CheckSchema(const Table& table, const Item& item);

}  // namespace mayfly::tables
