#include "crash/left_deadlines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "crash/left_tables.h"
#include "items/item_codec.h"
#include "items/item_key.h"
#include "tables/schema/table_names.h"

namespace mayfly::crash {
namespace {

// Keys of items to their deadlines.
using Deadlines = std::map<std::string, std::optional<WallTime>>;

std::string RowKeyOf(const Item& item) { return items::ItemKey(item.at("user"), &item.at("nr")); }

std::string InWords(const std::optional<WallTime>& deadline) {
  return deadline ? std::to_string(ToMs(*deadline)) : "for ever";
}

// The deadlines of the living rows of a keyspace, by `key_of` of key and value.
template <typename KeyOfRow>
Result<Deadlines> Read(Database& database, const std::string& keyspace, const KeyOfRow& key_of) {
  MAYFLY_TRY(const auto rows, database.OpenKeyspace(keyspace));
  MAYFLY_TRY(const auto cursor, rows->NewCursor());
  Deadlines deadlines;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    MAYFLY_TRY(const std::string key, key_of(cursor->key(), cursor->value()));
    deadlines[key] = cursor->deadline();
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return deadlines;
}

Result<Deadlines> ReadRows(Database& database, const std::string& keyspace) {
  return Read(database, keyspace,
              [](Bytes key, Bytes) -> Result<std::string> { return std::string(key); });
}

Result<Deadlines> ReadEntries(Database& database, const std::string& keyspace) {
  return Read(database, keyspace, [](Bytes, Bytes value) -> Result<std::string> {
    MAYFLY_TRY(const items::StoredItem entry, items::DecodeItem(value));
    return RowKeyOf(entry.item);
  });
}

// Every deadline of `found` must be in `wanted`, and the same there.
Status Within(const std::string& what, const Deadlines& wanted, const Deadlines& found) {
  for (const auto& [key, deadline] : found) {
    const auto at = wanted.find(key);
    if (at == wanted.end()) return Status::Internal(what + " has a row of no item");
    if (at->second == deadline) continue;
    return Status::Internal(fmt::format("{} has a row that lives {} and should live {}", what,
                                        InWords(deadline), InWords(at->second)));
  }
  return {};
}

Status Same(const std::string& what, const Deadlines& wanted, const Deadlines& found) {
  MAYFLY_RETURN_IF_ERROR(Within(what, wanted, found));
  if (wanted.size() == found.size()) return {};
  return Status::Internal(
      fmt::format("{} has {} rows and should have {}", what, found.size(), wanted.size()));
}

std::multiset<std::string> LinesOf(const std::vector<Item>& items) {
  std::multiset<std::string> lines;
  for (const Item& item : items) lines.insert(Describe(item));
  return lines;
}

bool Includes(const std::multiset<std::string>& all, const std::multiset<std::string>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

}  // namespace

Status CompareDeadlines(Database& database, const TableDescription& table,
                        const PlainTable& plain) {
  const bool off = plain.spec.ttl_attribute.empty();
  if (table.ttl_status != (off ? TtlStatus::kDisabled : TtlStatus::kEnabled)) {
    return Status::Internal("the ttl of " + table.spec.name + " has the status of a change");
  }
  const bool exact = plain.spec.ttl_mode == TtlMode::kExact;
  Deadlines rows;
  Deadlines shadows;
  for (const Item& item : plain.items.All()) {
    const auto deadline = plain.items.DeadlineOf(item);
    rows[RowKeyOf(item)] = exact ? deadline : std::nullopt;
    if (!exact && deadline && *deadline > plain.items.now()) shadows[RowKeyOf(item)] = deadline;
  }
  MAYFLY_TRY(const Deadlines items,
             ReadRows(database, tables::ItemsKeyspace({table.spec.name, table.id})));
  MAYFLY_RETURN_IF_ERROR(Same("table " + table.spec.name, rows, items));
  MAYFLY_TRY(const auto keyspaces, database.ListKeyspaces());
  for (const std::string& keyspace : keyspaces) {
    if (keyspace.find(table.id) == std::string::npos) continue;
    if (keyspace.starts_with(fmt::format("table.{}.shadows#", table.spec.name))) {
      MAYFLY_TRY(const Deadlines found, ReadRows(database, keyspace));
      MAYFLY_RETURN_IF_ERROR(Same(keyspace, shadows, found));
    } else if (keyspace.starts_with(fmt::format("table.{}.index.", table.spec.name))) {
      MAYFLY_TRY(const Deadlines found, ReadEntries(database, keyspace));
      MAYFLY_RETURN_IF_ERROR(Within(keyspace, rows, found));
    }
  }
  return {};
}

Status CheckHalfDone(Database& database, Tables& tables, const PlainTable& before,
                     const PlainTable& after) {
  const std::string& name = before.spec.name;
  MAYFLY_TRY(const std::uint64_t progress, JobProgress(database, name));
  if (progress == 0) return Status::Internal("no job gives the items of " + name + " a deadline");
  MAYFLY_TRY(const auto found, AllItems(tables, {.table = name}));
  const auto lines = LinesOf(found);
  if (Includes(LinesOf(before.items.All()), lines) && Includes(lines, LinesOf(after.items.All()))) {
    return {};
  }
  return Status::Internal(fmt::format(
      "items of {} in the middle of a change\n  before {}\n  found"
      "  {}\n  after  {}",
      name, Describe(before.items.All()), Describe(found), Describe(after.items.All())));
}

}  // namespace mayfly::crash
