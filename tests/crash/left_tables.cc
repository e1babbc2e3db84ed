#include "crash/left_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "crash/left_deadlines.h"
#include "tables/schema/table_codec.h"
#include "tables/schema/table_names.h"
#include "tables/tables_home.h"

namespace mayfly::crash {
namespace {

Status Wrong(const std::string& what) { return Status::Internal(what); }

Status Expect(const std::string& what, const std::string& wanted, const std::string& found) {
  if (wanted == found) return {};
  return Wrong(fmt::format("{}\n  wanted {}\n  found  {}", what, wanted, found));
}

std::string InWords(const std::multiset<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += "\n    " + line;
  return all;
}

// The items as the index must show them.
std::multiset<std::string> Recompute(const TableSpec& table, const IndexSpec& index,
                                     const std::vector<Item>& items) {
  std::set<std::string> shown = {table.partition.name, table.sort->name, index.partition.name};
  if (index.sort) shown.insert(index.sort->name);
  const auto& included = index.projection.attributes;
  shown.insert(included.begin(), included.end());
  std::multiset<std::string> entries;
  for (Item item : items) {
    if (!item.contains(index.partition.name)) continue;
    if (index.sort && !item.contains(index.sort->name)) continue;
    if (index.projection.kind != IndexProjection::Kind::kAll) {
      std::erase_if(item, [&](const auto& one) { return !shown.contains(one.first); });
    }
    entries.insert(Describe(item));
  }
  return entries;
}

Status CompareIndex(Tables& tables, const TableDescription& table, const IndexSpec& index,
                    const std::vector<Item>& items, bool settled) {
  const std::string what = fmt::format("index {} of {}", index.name, table.spec.name);
  const auto described = table.indexes.find(index.name);
  if (described == table.indexes.end()) return Wrong(what + " is not described");
  if (described->second.status == IndexStatus::kCreating) {
    return settled ? Wrong(what + " is never filled") : Status();
  }
  MAYFLY_TRY(const std::vector<Item> found,
             AllItems(tables, {.table = table.spec.name, .index = index.name}));
  std::multiset<std::string> entries;
  for (const Item& item : found) entries.insert(Describe(item));
  const auto wanted = Recompute(table.spec, index, items);
  MAYFLY_RETURN_IF_ERROR(Expect(what, InWords(wanted), InWords(entries)));
  return Expect("entries of " + what, std::to_string(wanted.size()),
                std::to_string(described->second.items));
}

// The records are consistent from beginning to end: each begins where the last one about its item
// ended. Writes are recorded in their order, and no death twice.
Status CompareStream(const std::string& what, const PlainStream& plain,
                     const std::vector<StreamRecord>& records, bool settled) {
  std::map<std::string, std::string> story = plain.at_begin;
  std::multiset<std::string> untold = plain.deaths;
  std::size_t writes = 0;
  std::uint64_t last = 0;
  for (const StreamRecord& record : records) {
    const std::string line = LineOf(record.old_image, record.new_image);
    if (record.sequence <= last)
      return Wrong(fmt::format("{} repeats a sequence at {}", what, line));
    last = record.sequence;
    const auto at = story.find(Describe(record.keys));
    MAYFLY_RETURN_IF_ERROR(Expect(fmt::format("{}: what was there before {}", what, line),
                                  at == story.end() ? "none" : at->second,
                                  Describe(record.old_image)));
    if (record.new_image) {
      story[Describe(record.keys)] = Describe(*record.new_image);
    } else if (at != story.end()) {
      story.erase(at);
    }
    if (record.by_ttl) {
      const auto death = untold.find(line);
      if (death == untold.end())
        return Wrong(fmt::format("{} tells of a death that was none: {}", what, line));
      untold.erase(death);
      continue;
    }
    const std::string wanted = writes < plain.writes.size() ? plain.writes[writes] : "no more";
    MAYFLY_RETURN_IF_ERROR(Expect(fmt::format("{}, write {}", what, writes), wanted, line));
    ++writes;
  }
  if (writes < plain.writes.size()) {
    return Wrong(fmt::format("{} stops before {}", what, plain.writes[writes]));
  }
  if (settled && !untold.empty()) return Wrong(what + " does not tell of " + *untold.begin());
  return {};
}

Status CompareStreams(Tables& tables, const PlainTable& plain, bool settled) {
  const std::string& table = plain.spec.name;
  MAYFLY_TRY(const auto streams, tables.ListStreams(table));
  MAYFLY_RETURN_IF_ERROR(Expect("streams of " + table, std::to_string(plain.streams.size()),
                                std::to_string(streams.size())));
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const bool goes_on = plain.streaming() && i + 1 == streams.size();
    const std::string what = fmt::format("stream {} of {}", i, table);
    if (streams[i].enabled != goes_on) return Wrong(what + (goes_on ? " ended" : " goes on"));
    MAYFLY_TRY(const auto records, AllRecords(tables, table, streams[i].label));
    MAYFLY_RETURN_IF_ERROR(CompareStream(what, plain.streams[i], records, settled || !goes_on));
  }
  return {};
}

Status CompareTable(Database& database, Tables& tables, const PlainTable& plain, bool settled) {
  const std::string& name = plain.spec.name;
  MAYFLY_TRY(const TableDescription table, tables.DescribeTable(name));
  if (table.spec != plain.spec) return Wrong("another description of " + name);
  MAYFLY_TRY(const std::vector<Item> items, AllItems(tables, {.table = name}));
  const std::vector<Item> wanted = plain.items.All();
  MAYFLY_RETURN_IF_ERROR(Expect("items of " + name, Describe(wanted), Describe(items)));
  MAYFLY_RETURN_IF_ERROR(Expect("number of items of " + name, std::to_string(wanted.size()),
                                std::to_string(table.items)));
  // Without a stream no reader trims the events of deaths, and they would stay.
  MAYFLY_TRY(const auto rows, database.OpenKeyspace(tables::ItemsKeyspace({name, table.id})));
  if ((rows->policy().events != EventDetail::kOff) != plain.streaming()) {
    return Wrong("events of " + name + " are on without a stream, or off with one");
  }
  MAYFLY_RETURN_IF_ERROR(CompareDeadlines(database, table, plain));
  bool filling = false;
  for (const auto* indexes : {&table.spec.global_indexes, &table.spec.local_indexes}) {
    for (const IndexSpec& index : *indexes) {
      MAYFLY_RETURN_IF_ERROR(CompareIndex(tables, table, index, items, settled));
      filling = filling || table.indexes.at(index.name).status == IndexStatus::kCreating;
    }
  }
  MAYFLY_TRY(const std::uint64_t progress, JobProgress(database, name));
  if (filling && progress == 0) return Wrong("no job fills an index of " + name);
  if (settled && progress > 0) return Wrong("a job of " + name + " never ends");
  return CompareStreams(tables, plain, settled);
}

// Checks that each table has its keyspaces and rows, and that there are no others.
Status CompareKeyspaces(Database& database, Tables& tables, const PlainTables& plain) {
  std::multiset<std::string> wanted;
  std::set<std::string> ids;
  for (const auto& made : plain.tables()) {
    const std::string& name = made.first;
    const auto& table = made.second;
    MAYFLY_TRY(const TableDescription described, tables.DescribeTable(name));
    ids.insert(described.id);
    const auto add = [&](const char* kind, std::size_t times) {
      for (std::size_t i = 0; i < times; ++i) wanted.insert("table." + name + kind + described.id);
    };
    add(".items", 1);
    add(".index", table.spec.global_indexes.size() + table.spec.local_indexes.size());
    add(".shadows", table.spec.ttl_mode == TtlMode::kUntilSwept ? 1 : 0);
    add(".stream", table.streams.size());
  }
  std::multiset<std::string> found;
  MAYFLY_TRY(const auto keyspaces, database.ListKeyspaces());
  for (const std::string& keyspace : keyspaces) {
    if (!keyspace.starts_with("table.")) continue;
    // "table", its name, a kind, and its id; without the suffix that tells two of a kind apart.
    const std::size_t mark = keyspace.find('#');
    const std::size_t kind = keyspace.find('.', keyspace.find('.') + 1);
    const std::string id = keyspace.substr(mark + 1, keyspace.find('.', mark) - mark - 1);
    const std::size_t end = std::min(keyspace.find('.', kind + 1), mark);
    found.insert(keyspace.substr(0, end) + id);
  }
  MAYFLY_RETURN_IF_ERROR(Expect("keyspaces", InWords(wanted), InWords(found)));
  MAYFLY_TRY(const auto rows, database.OpenKeyspace(tables::kTablesKeyspace));
  MAYFLY_TRY(const auto cursor, rows->NewCursor());
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const std::string row(cursor->key());
    if (row.starts_with(tables::kTableRows)) continue;
    const bool known = std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
      return row.find(id) != std::string::npos;
    });
    if (!known) return Wrong("the row '" + row + "' belongs to no table");
  }
  return cursor->status();
}

}  // namespace

Result<std::vector<Item>> AllItems(Tables& tables, ScanRequest request) {
  std::vector<Item> items;
  for (;;) {
    MAYFLY_TRY(const ItemPage page, tables.Scan(request));
    items.insert(items.end(), page.items.begin(), page.items.end());
    if (!page.last_key) return items;
    request.start_after = page.last_key;
  }
}

Result<std::uint64_t> JobProgress(Database& database, const std::string& table) {
  MAYFLY_TRY(const auto rows, database.OpenKeyspace(tables::kTablesKeyspace));
  MAYFLY_TRY(const auto cursor, rows->NewCursor({.prefix = tables::kJobRows}));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    MAYFLY_TRY(const tables::RewriteJob job, tables::DecodeJob(cursor->value()));
    if (job.table == table) return job.walked + 1;
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return std::uint64_t{0};
}

Status Settle(Database& database, Tables& tables) {
  MAYFLY_RETURN_IF_ERROR(database.Purge().status());
  constexpr int kStepsMax = 1000;
  for (int i = 0; i < kStepsMax; ++i) {
    MAYFLY_TRY(const std::uint64_t left, tables.RunUpkeep(3));
    if (left == 0) return {};
  }
  return Wrong("upkeep does not end");
}

Status Compare(Database& database, Tables& tables, const PlainTables& plain, bool settled) {
  MAYFLY_TRY(const auto found, tables.ListTables());
  std::vector<std::string> wanted;
  for (const auto& [name, table] : plain.tables()) wanted.push_back(name);
  MAYFLY_RETURN_IF_ERROR(Expect("tables", fmt::format("{}", fmt::join(wanted, " ")),
                                fmt::format("{}", fmt::join(found, " "))));
  for (const auto& [name, table] : plain.tables()) {
    MAYFLY_RETURN_IF_ERROR(CompareTable(database, tables, table, settled));
  }
  return CompareKeyspaces(database, tables, plain);
}

}  // namespace mayfly::crash
