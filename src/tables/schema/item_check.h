// item_check.h - whether an item may be stored in a table. The words are DynamoDB's, but for
// schemas, which it does not have.
#pragma once

#include <cstdint>

#include "mayfly/item.h"
#include "mayfly/status.h"
#include "tables/schema/table.h"

namespace mayfly::tables {

// Of a whole item as it is put, its keys aside (KeyOfItem): names, sets, keys of indexes, nesting,
// size, the schema of its partition.
Status CheckNewItem(const Table& table, const Item& item);

// The same of what an update made of `before`. What it did not change was accepted before, perhaps
// when the table was another, and stays.
Status CheckUpdatedItem(const Table& table, const Item& before, const Item& after);

// Of the items of a transaction together.
Status CheckTransactBytes(std::uint64_t bytes);

// The schema whose prefix fits the partition key best. In item_schema.cc.
Status CheckSchema(const Table& table, const Item& item);

}  // namespace mayfly::tables
