// item_writer.h - writes an item's row, its index entries and its shadow in the caller's
// transaction, with the deadline of its ttl attribute. (For items that are a single row:
// single_row_writes.h.)
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

// Writes the item's row alone; for rows of either kind of transaction.
template <typename Rows>
Status WriteRow(Rows& rows, Bytes key, const Item& item, std::uint64_t version,
                const std::optional<WallTime>& deadline) {
  return rows.Put(key, items::EncodeItem(item, version), LifetimeUntil(deadline));
}

// Replaces `before` by `after`, with this version; null: no item. Index entries that stay the same
// are rewritten if their deadline or projection may have changed. The caller has read `before` in
// this transaction and holds the item's latch. An instant that has passed leaves no item (in mode
// kExact), but the row's event. Appends nothing to streams.
Status WriteItem(Transaction& transaction, const Table& table, Bytes key, const Item* before,
                 const Item* after, std::uint64_t version = 0);

// Rewrites the item for the current description: for backfills of an index and of deadlines.
// Version and attributes stay.
Status RewriteItem(Transaction& transaction, const Table& table, Bytes key,
                   const items::StoredItem& item);

// The key of an item's entry in an index; nothing if the item lacks a key of the index.
std::optional<std::string> EntryKey(const Table& table, const Index& index, Bytes item_key,
                                    const Item& item);

// The content of the entry: keys and projected attributes.
Item EntryOf(const Table& table, const Index& index, const Item& item);

}  // namespace mayfly::tables
