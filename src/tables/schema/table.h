// table.h - a table as calls see it. Immutable: a change of the table makes another one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/clock.h"
#include "mayfly/keyspace.h"
#include "mayfly/tables.h"

namespace mayfly::tables {

struct Index {
  IndexSpec spec;
  bool local = false;
  IndexStatus status = IndexStatus::kActive;
  std::shared_ptr<Keyspace> rows;  // EntryKey() -> items::EncodeItem of what is projected.
};

struct Table {
  TableSpec spec;
  std::string id;
  WallTime created_at;
  TtlStatus ttl_status = TtlStatus::kDisabled;
  std::shared_ptr<Keyspace> items;  // items::ItemKey -> items::EncodeItem.
  std::vector<Index> indexes;       // Global and local.
  // In mode kUntilSwept: a row under each item's key that dies at the item's instant, with an
  // event. The item itself has no deadline then; a sweep removes those whose shadow has died. Null
  // in the other mode.
  std::shared_ptr<Keyspace> shadows;
  std::string stream_label;  // Of its stream, if it has or had one.

  const Index* FindIndex(const std::string& name) const;
};

// Key attributes only, checked: Invalid, in DynamoDB's words, for missing or additional ones, wrong
// types, empty and oversize keys.
Result<std::string> KeyOf(const Table& table, const Item& key);

// The same of a whole item.
Result<std::string> KeyOfItem(const Table& table, const Item& item);

// The key attributes of a table, or an index and its table, that an item has.
Item KeyAttributesOf(const Table& table, const Index* index, const Item& item);

// The deadline of an item by the table's ttl attribute; nothing: never. Nothing else reads that
// attribute. In mode kUntilSwept instants more than five years before `now` do not count.
std::optional<WallTime> DeadlineOf(const Table& table, const Item& item, WallTime now);

}  // namespace mayfly::tables
