#include "crash/plain_tables.h"

#include <algorithm>

#include "tables/tables_home.h"

namespace mayfly::crash {
namespace {

using Kind = TableOperation::Kind;
using Write = TableOperation::Write;

std::optional<Item> After(const Write& write, const Item* before) {
  if (write.kind == Write::Kind::kDelete) return std::nullopt;
  if (write.kind == Write::Kind::kPut) return write.set;
  const bool only_removes = write.set.empty() && !write.add && !write.removed.empty();
  if (before == nullptr && only_removes) return std::nullopt;  // Removing makes no item.
  Item after = before != nullptr ? *before : write.key;
  for (const auto& [name, value] : write.set) after[name] = value;
  for (const std::string& name : write.removed) after.erase(name);
  if (write.add) {
    const auto n = after.find("n");
    after["n"] = n == after.end() ? *write.add : Add(*n->second.number(), *write.add).value();
  }
  return after;
}

bool Has(const TableSpec& spec, const std::string& index) {
  return std::any_of(spec.global_indexes.begin(), spec.global_indexes.end(),
                     [&](const IndexSpec& one) { return one.name == index; });
}

}  // namespace

std::string LineOf(const std::optional<Item>& before, const std::optional<Item>& after) {
  return Describe(before) + " to " + Describe(after);
}

PlainTable::PlainTable(const TableSpec& table, WallTime now)
    : spec(table), items(table.ttl_mode, now) {
  if (streaming()) BeginStream();
}

void PlainTable::BeginStream() {
  PlainStream& stream = streams.emplace_back();
  for (const Item& item : items.All()) stream.at_begin[Describe(KeyOf(item))] = Describe(item);
}

void PlainTable::Died(const Item& item) {
  if (streaming()) streams.back().deaths.insert(LineOf(item, std::nullopt));
}

void PlainTable::Write(const Item& key, const std::optional<Item>& after) {
  const Item* found = items.Find(key);
  const std::optional<Item> before = found != nullptr ? std::optional(*found) : std::nullopt;
  if (before == after) return;
  if (streaming()) streams.back().writes.push_back(LineOf(before, after));
  if (!after) {
    items.Delete(key);
    return;
  }
  items.Put(*after);
  if (items.Find(key) == nullptr) Died(*after);  // It was born dead.
}

void PlainTable::SeeWhoDies(const std::function<void()>& change) {
  const std::vector<Item> before = items.All();
  change();
  for (const Item& item : before) {
    if (items.Find(item) == nullptr) Died(item);
  }
}

void PlainTable::Sweep() {
  SeeWhoDies([this] { (void)items.Sweep(); });
}

void PlainTable::AdvanceTo(WallTime now) {
  SeeWhoDies([&] { items.SetNow(now); });
}

void PlainTable::ChangeTtl(const std::string& attribute, TtlMode mode) {
  spec.ttl_attribute = attribute;
  spec.ttl_mode = mode;
  SeeWhoDies([&] { items.SetTtl(attribute, mode); });
}

PlainTable* PlainTables::Find(const std::string& name) {
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : &found->second;
}

void PlainTables::AdvanceTo(WallTime now) {
  now_ = now;
  for (auto& [name, table] : tables_) table.AdvanceTo(now);
}

void PlainTables::PlayChange(const TableOperation& operation) {
  if (operation.kind == Kind::kCreate) {
    tables_.try_emplace(operation.table, SpecOf(operation.table), now_);
    return;
  }
  PlainTable* const table = Find(operation.table);
  if (table == nullptr) return;
  const std::string by_title = ByTitle().name;
  switch (operation.kind) {
    case Kind::kDrop: tables_.erase(operation.table); return;
    case Kind::kAddIndex:
      if (!Has(table->spec, by_title)) table->spec.global_indexes.push_back(ByTitle());
      return;
    case Kind::kDropIndex:
      std::erase_if(table->spec.global_indexes,
                    [&](const IndexSpec& index) { return index.name == by_title; });
      return;
    case Kind::kBeginStream:
      if (table->streaming()) return;
      table->spec.stream = StreamView::kNewAndOldImages;
      table->BeginStream();
      return;
    case Kind::kChangeTtl: table->ChangeTtl(operation.ttl_attribute, operation.ttl_mode); return;
    default: table->spec.stream = StreamView::kOff;
  }
}

// Plays all writes, if all tables exist.
void PlainTables::PlayWrites(const TableOperation& operation) {
  for (const auto& write : operation.writes) {
    if (Find(write.table) == nullptr) return;
  }
  for (const auto& write : operation.writes) {
    PlainTable& table = *Find(write.table);
    table.Write(write.key, After(write, table.items.Find(write.key)));
  }
}

void PlainTables::Play(const TableOperation& operation) {
  if (operation.ChangesTable()) return PlayChange(operation);
  if (operation.kind == Kind::kWrite) return PlayWrites(operation);
  PlainTable* const table = Find(operation.table);
  if (table == nullptr) return;  // Or none is named: purges and upkeep change nothing visible.
  if (operation.kind == Kind::kSweep) return table->Sweep();
  const Item* found = table->items.Find(operation.key);
  if (operation.kind != Kind::kSetTtl || found == nullptr) return;
  if (table->spec.ttl_attribute.empty()) return;
  Item after = *found;
  after[table->spec.ttl_attribute] = N((ToMs(now_ + operation.ttl) + 999) / 1000);
  table->Write(operation.key, after);
}

}  // namespace mayfly::crash
