// single_row_writes.h - writes of items that are a single row: no index entries, no shadow, no
// stream.
// Nothing has to change together with such a row, so a latched transaction on its key does what an
// optimistic one would, for less: it takes no snapshot and never conflicts.
// Several independent writes share a latched transaction, and its commit.
#pragma once

#include <span>
#include <vector>

#include "tables/items/item_context.h"
#include "tables/items/item_outcome.h"

namespace mayfly::tables {

// Runs each by itself, in order; later ones see the writes of earlier ones. One that is not ok does
// not stop the others; if the commit fails, all have its fault. Ends early, after the action with
// which the returned items exceed kShownBytesMax: the rest has no outcomes. Takes the items'
// latches, so that optimistic transactions do not conflict with it either.
std::vector<ActionOutcome> RunAlone(const ItemContext& context,
                                    std::span<const ItemAction* const> actions);

}  // namespace mayfly::tables
