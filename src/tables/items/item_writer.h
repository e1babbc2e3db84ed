// item_writer.h - how an item's bytes change: its row, its index entries, its shadow, all in the
// caller's transaction, with the deadline its ttl attribute says. (Where the row is all there is,
// single_row_writes.h does it.)
#pragma once

#include <cstdint>
#include <optional>

#include "items/item_codec.h"
#include "mayfly/transaction.h"
#include "tables/schema/table.h"

namespace mayfly::tables {

// Nothing: for ever.
Lifetime LifetimeUntil(const std::optional<WallTime>& deadline);

// The item under `key` as the transaction sees it.
Result<std::optional<items::StoredItem>> ReadItem(Transaction& transaction, const Table& table,
                                                  Bytes key);

// Makes `after`, in this version, of `before`; null: there is none. Index entries that stay the
// same are rewritten if their deadline or projection may have changed. The caller has read `before`
// in this transaction and holds the item's latch. An instant that has passed leaves nothing (in
// mode kExact), with the row's event. Appends nothing to streams.
Status WriteItem(Transaction& transaction, const Table& table, Bytes key, const Item* before,
                 const Item* after, std::uint64_t version = 0);

// Writes the item anew as the table is now: for backfills of an index and of deadlines. Version and
// attributes stay.
Status RewriteItem(Transaction& transaction, const Table& table, Bytes key,
                   const items::StoredItem& item);

// The key of an item's entry in an index, or nothing: it lacks a key of the index.
std::optional<std::string> EntryKey(const Table& table, const Index& index, Bytes item_key,
                                    const Item& item);

// What the entry holds: keys and projected attributes.
Item EntryOf(const Table& table, const Index& index, const Item& item);

}  // namespace mayfly::tables
