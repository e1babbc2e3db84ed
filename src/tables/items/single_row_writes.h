// single_row_writes.h - writes of items of which nothing else is kept: no entries of indexes, no
// shadow, no stream. Nothing has to change together with such a row, so a latched transaction on
// its key does what a transaction would, for less: it takes no snapshot, reads the row once and
// never conflicts. Several of them share a latched transaction, and its commit, though they have
// nothing to do with each other.
#pragma once

#include <span>
#include <vector>

#include "tables/items/item_context.h"
#include "tables/items/item_outcome.h"

namespace mayfly::tables {

bool IsKeptAlone(const Table& table);

// Each by itself, in order; later ones see what earlier ones wrote. One that is not ok keeps nobody
// else from being written; if the commit fails, all have its fault. Ends early, behind the one with
// which the items that callers want to see pass kShownBytesMax: the rest has no outcomes. Takes the
// items' latches, so that transactions of others do not conflict with it either.
std::vector<ActionOutcome> RunAlone(const ItemContext& context,
                                    std::span<const ItemAction* const> actions);

}  // namespace mayfly::tables
