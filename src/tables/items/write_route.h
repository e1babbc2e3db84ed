// write_route.h - decides how items are written: those that are a single row in a latched
// transaction (single_row_writes.h), others, and those that must change together, in an optimistic
// one (item_transaction.h).
#pragma once

#include <vector>

#include "mayfly/result.h"
#include "tables/items/item_context.h"
#include "tables/items/item_outcome.h"

namespace mayfly::tables {

// Runs one action by itself; returns the result of its call.
Result<WriteOutcome> RunAction(const ItemContext& context, ItemAction action);

// Runs actions about different items with as few commits as possible. One outcome per action.
Result<std::vector<ActionOutcome>> RunBatch(const ItemContext& context,
                                            const std::vector<ItemAction>& actions);

}  // namespace mayfly::tables
