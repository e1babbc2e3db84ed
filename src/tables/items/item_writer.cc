#include "tables/items/item_writer.h"

#include "items/item_key.h"
#include "tables/schema/key_check.h"

namespace mayfly::tables {
namespace {

// Null when the item lacks the attribute, or it is no key: items may be older than their index.
const AttributeValue* IndexValueOf(const KeyAttribute& attribute, const Item& item,
                                   bool partition) {
  const auto found = item.find(attribute.name);
  if (found == item.end() || found->second.type() != TypeOf(attribute.type)) return nullptr;
  if (!CheckKeyValue(attribute, found->second, partition).ok()) return nullptr;
  return &found->second;
}

// An entry that is already right is not written: most updates change no index.
Status PutEntry(KeyspaceWriter& entries, const std::string& key, const std::string& value,
                const std::optional<WallTime>& deadline, bool may_be_there) {
  if (may_be_there) {
    const Result<Row> there = entries.GetRow(key);
    if (there && there->value == value && there->deadline == deadline) return {};
    if (!there && !there.status().IsNotFound()) return there.status();
  }
  return entries.Put(key, value, LifetimeUntil(deadline));
}

Status WriteEntries(Transaction& transaction, const Table& table, Bytes key, const Item* before,
                    const Item* after, const std::optional<WallTime>& deadline) {
  for (const Index& index : table.indexes) {
    std::optional<std::string> old_key;
    std::optional<std::string> new_key;
    if (before != nullptr) old_key = EntryKey(table, index, key, *before);
    if (after != nullptr) new_key = EntryKey(table, index, key, *after);
    if (!old_key && !new_key) continue;
    KeyspaceWriter& entries = transaction.In(*index.rows);
    if (old_key && old_key != new_key) MAYFLY_RETURN_IF_ERROR(entries.Delete(*old_key).status());
    if (!new_key) continue;
    MAYFLY_RETURN_IF_ERROR(PutEntry(entries, *new_key,
                                    items::EncodeItem(EntryOf(table, index, *after), 0), deadline,
                                    old_key == new_key));
  }
  return {};
}

// In mode kUntilSwept.
Status WriteShadow(Transaction& transaction, const Table& table, Bytes key,
                   const std::optional<WallTime>& deadline) {
  KeyspaceWriter& shadows = transaction.In(*table.shadows);
  if (deadline) return shadows.Put(key, {}, Lifetime::Until(*deadline));
  return shadows.Delete(key).status();
}

}  // namespace

Lifetime LifetimeUntil(const std::optional<WallTime>& deadline) {
  return deadline ? Lifetime::Until(*deadline) : Lifetime::Forever();
}

Result<std::optional<items::StoredItem>> ReadItem(Transaction& transaction, const Table& table,
                                                  Bytes key) {
  PinnedBytes value;
  const Status found = transaction.In(*table.items).Get(key, value);
  if (found.IsNotFound()) return std::optional<items::StoredItem>();
  MAYFLY_RETURN_IF_ERROR(found);
  MAYFLY_TRY(items::StoredItem item, items::DecodeItem(value.view()));
  return std::optional(std::move(item));
}

Status WriteItem(Transaction& transaction, const Table& table, Bytes key, const Item* before,
                 const Item* after, std::uint64_t version) {
  std::optional<WallTime> deadline;
  if (after != nullptr) deadline = DeadlineOf(table, *after, transaction.now());
  if (table.shadows != nullptr) {
    MAYFLY_RETURN_IF_ERROR(WriteShadow(transaction, table, key, deadline));
    deadline.reset();  // A sweep removes the item, and its entries with it.
  }
  KeyspaceWriter& rows = transaction.In(*table.items);
  if (after == nullptr) {
    MAYFLY_RETURN_IF_ERROR(rows.Delete(key).status());
    return WriteEntries(transaction, table, key, before, nullptr, deadline);
  }
  MAYFLY_RETURN_IF_ERROR(WriteRow(rows, key, *after, version, deadline));
  return WriteEntries(transaction, table, key, before, after, deadline);
}

Status RewriteItem(Transaction& transaction, const Table& table, Bytes key,
                   const items::StoredItem& item) {
  return WriteItem(transaction, table, key, &item.item, &item.item, item.version);
}

std::optional<std::string> EntryKey(const Table& table, const Index& index, Bytes item_key,
                                    const Item& item) {
  const KeyAttribute& partition_key = index.local ? table.spec.partition : index.spec.partition;
  const AttributeValue* partition = IndexValueOf(partition_key, item, true);
  if (partition == nullptr) return std::nullopt;
  const AttributeValue* sort = nullptr;
  if (index.spec.sort) {
    sort = IndexValueOf(*index.spec.sort, item, false);
    if (sort == nullptr) return std::nullopt;
  }
  std::string key = items::ItemKey(*partition, sort);
  key.append(item_key);
  return key;
}

Item EntryOf(const Table& table, const Index& index, const Item& item) {
  if (index.spec.projection.kind == IndexProjection::Kind::kAll) return item;
  Item entry = KeyAttributesOf(table, &index, item);
  if (index.spec.projection.kind == IndexProjection::Kind::kInclude) {
    for (const std::string& name : index.spec.projection.attributes) {
      const auto found = item.find(name);
      if (found != item.end()) entry.insert(*found);
    }
  }
  return entry;
}

}  // namespace mayfly::tables
