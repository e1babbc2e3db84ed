// lone_item.h - one write of an item of which nothing else is kept: no entries of indexes, no
// shadow, no stream. Nothing has to change together with its row, so a work on the one key does
// what a transaction would, for less: it takes no snapshot, reads the row once and never conflicts.
#pragma once

#include "tables/item_context.h"
#include "tables/item_outcome.h"

namespace mayfly::tables {

bool IsKeptAlone(const Table& table);

// Takes the item's latch, so that transactions of others do not conflict with it either.
Result<ActionOutcome> RunAlone(const ItemContext& context, const ItemAction& action);

}  // namespace mayfly::tables
