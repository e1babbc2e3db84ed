#include "tables/schema/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tables/schema/table_limits.h"
#include "tables/schema/table_names.h"

namespace mayfly::tables {
namespace {

Status NoSuchTable(const std::string& name) {
  return Status::NotFound(fmt::format("Requested resource not found: Table: {} not found", name));
}

Status DropIfThere(Database& database, const std::string& keyspace) {
  const Status dropped = database.DropKeyspace(keyspace);
  return dropped.IsNotFound() ? Status() : dropped;
}

Result<std::shared_ptr<Keyspace>> OpenOrMake(Database& database, const std::string& name) {
  auto opened = database.OpenKeyspace(name);
  if (opened || !opened.status().IsNotFound()) return opened;
  return database.CreateKeyspace(name);
}

}  // namespace

TableUse::TableUse(std::shared_ptr<TableEntry> entry) : entry_(std::move(entry)) {
  const std::lock_guard turnstile(entry_->gate.turnstile);
  lock_ = std::shared_lock(entry_->gate.gate);
  table_ = entry_->table;
}

Result<std::unique_ptr<Catalog>> Catalog::Open(Database& database) {
  MAYFLY_TRY(auto rows, OpenOrMake(database, kTablesKeyspace));
  std::unique_ptr<Catalog> catalog(new Catalog(database, std::move(rows)));
  MAYFLY_RETURN_IF_ERROR(catalog->Load());
  MAYFLY_RETURN_IF_ERROR(catalog->DropLeftovers());
  return catalog;
}

Status Catalog::Load() {
  MAYFLY_TRY(const auto cursor, rows_->NewCursor({.prefix = kTableRows}));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    MAYFLY_TRY(StoredTable stored, DecodeTable(cursor->value()));
    if (cursor->key().substr(kTableRows.size()) != stored.spec.name) {
      return Status::Corruption(
          fmt::format("the description of table '{}' lies under another name", stored.spec.name));
    }
    const auto entry = std::make_shared<TableEntry>();
    MAYFLY_TRY(entry->table, OpenTable(database_, stored));
    // A crash may have come between the description and its policies.
    const Status set = ApplyPolicies(stored);
    if (set.code() != StatusCode::kReadOnly) MAYFLY_RETURN_IF_ERROR(set);
    tables_.emplace(stored.spec.name, entry);
    entry->stored = std::move(stored);
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  const Status own = KeepOwnPromise();
  return own.code() == StatusCode::kReadOnly ? Status() : own;
}

Status Catalog::ApplyPolicies(const StoredTable& stored) {
  for (const std::string& name : KeyspacesOf(stored)) {
    MAYFLY_TRY(const auto keyspace, database_.OpenKeyspace(name));
    const KeyspacePolicy policy = PolicyOf(stored, name);
    if (keyspace->policy() != policy) MAYFLY_RETURN_IF_ERROR(keyspace->SetPolicy(policy));
  }
  return {};
}

// Jobs name keys of items, so their rows are purged within the shortest promise of all tables.
Status Catalog::KeepOwnPromise(std::optional<Millis> also) {
  KeyspacePolicy policy{.purge_within = also};
  {
    const std::shared_lock lock(names_mutex_);
    for (const auto& [name, entry] : tables_) {
      const auto promise = entry->stored.spec.purge_within;
      if (promise) policy.purge_within = std::min(policy.purge_within.value_or(*promise), *promise);
    }
  }
  return rows_->policy() == policy ? Status() : rows_->SetPolicy(policy);
}

Status Catalog::DropLeftovers() {
  std::set<std::string> named;
  for (const auto& [name, entry] : tables_) {
    for (std::string& keyspace : KeyspacesOf(entry->stored)) named.insert(std::move(keyspace));
  }
  MAYFLY_TRY(const std::vector<std::string> keyspaces, database_.ListKeyspaces());
  for (const std::string& keyspace : keyspaces) {
    if (!IsOfATable(keyspace) || named.contains(keyspace)) continue;
    const Status dropped = database_.DropKeyspace(keyspace);
    if (dropped.code() == StatusCode::kReadOnly) return {};  // Harmless to readers.
    MAYFLY_RETURN_IF_ERROR(dropped);
  }
  return {};
}

std::shared_ptr<TableEntry> Catalog::Find(const std::string& name) const {
  const std::shared_lock lock(names_mutex_);
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : found->second;
}

Result<TableUse> Catalog::Use(const std::string& name) {
  while (const auto entry = Find(name)) {
    TableUse use(entry);
    if (use.table_ != nullptr) return use;
    // Dropped since it was found; another table of that name may exist by now.
  }
  return NoSuchTable(name);
}

std::vector<std::string> Catalog::Names(const std::string& after, std::size_t names_max) const {
  const std::shared_lock lock(names_mutex_);
  std::vector<std::string> names;
  for (auto at = tables_.upper_bound(after); at != tables_.end() && names.size() < names_max;
       ++at) {
    names.push_back(at->first);
  }
  return names;
}

Result<Catalog::Change> Catalog::BeginChange(const std::string& name) {
  Change change(*this, std::unique_lock(changes_mutex_));
  change.entry_ = Find(name);
  if (change.entry_ == nullptr) return NoSuchTable(name);
  const std::lock_guard turnstile(change.entry_->gate.turnstile);
  change.lock_ = std::unique_lock(change.entry_->gate.gate);
  return change;
}

Status Catalog::WriteDescription(const StoredTable& stored, const AlsoWrite& also) {
  const std::string row = TableRow(stored.spec.name);
  return database_.Transact([&](Transaction& transaction) -> Status {
    MAYFLY_RETURN_IF_ERROR(transaction.In(*rows_).Put(row, EncodeTable(stored)));
    return also ? also(transaction) : Status();
  });
}

Status Catalog::ForEach(
    const std::function<Status(const StoredTable&, const Table&)>& visit) const {
  const std::shared_lock lock(names_mutex_);
  for (const auto& [name, entry] : tables_) {
    MAYFLY_RETURN_IF_ERROR(visit(entry->stored, *entry->table));
  }
  return {};
}

Status Catalog::Create(const StoredTable& stored, const AlsoWrite& also,
                       const std::function<Status(const Table&)>& ready) {
  const std::lock_guard alone(changes_mutex_);
  const std::string& name = stored.spec.name;
  if (Find(name) != nullptr) return Status::Busy(fmt::format("Table already exists: {}", name));
  Status made = [&]() -> Status {
    for (const std::string& keyspace : KeyspacesOf(stored)) {
      MAYFLY_RETURN_IF_ERROR(
          database_.CreateKeyspace(keyspace, PolicyOf(stored, keyspace)).status());
    }
    const auto entry = std::make_shared<TableEntry>();
    entry->stored = stored;
    MAYFLY_TRY(entry->table, OpenTable(database_, stored));
    MAYFLY_RETURN_IF_ERROR(WriteDescription(stored, also));
    MAYFLY_RETURN_IF_ERROR(ready(*entry->table));
    MAYFLY_RETURN_IF_ERROR(KeepOwnPromise(stored.spec.purge_within));
    const std::lock_guard lock(names_mutex_);
    tables_.emplace(name, entry);
    return {};
  }();
  if (made.ok()) return {};
  const auto forgotten = rows_->Delete(TableRow(name));
  if (!forgotten) return made;  // The description may be stored, so its keyspaces must exist.
  // What cannot be dropped now is dropped by the next Open().
  for (const std::string& keyspace : KeyspacesOf(stored)) (void)DropIfThere(database_, keyspace);
  return made;
}

Status Catalog::Change::Store(StoredTable next, const AlsoWrite& also) {
  MAYFLY_TRY(auto table, OpenTable(catalog_->database_, next));
  MAYFLY_RETURN_IF_ERROR(catalog_->WriteDescription(next, also));
  const std::vector<std::string> before = KeyspacesOf(entry_->stored);
  const std::vector<std::string> after = KeyspacesOf(next);
  entry_->stored = std::move(next);
  entry_->table = std::move(table);
  for (const std::string& keyspace : before) {
    if (std::find(after.begin(), after.end(), keyspace) != after.end()) continue;
    (void)DropIfThere(catalog_->database_, keyspace);  // The change has happened either way.
  }
  return {};
}

Status Catalog::Change::ApplyPolicies() {
  MAYFLY_RETURN_IF_ERROR(catalog_->ApplyPolicies(entry_->stored));
  return catalog_->KeepOwnPromise();
}

Status Catalog::Change::Drop(const AlsoWrite& also) {
  Catalog& catalog = *catalog_;
  const std::string name = entry_->stored.spec.name;
  const std::string row = TableRow(name);
  MAYFLY_RETURN_IF_ERROR(catalog.database_.Transact([&](Transaction& transaction) -> Status {
    MAYFLY_RETURN_IF_ERROR(transaction.In(*catalog.rows_).Delete(row).status());
    return also ? also(transaction) : Status();
  }));
  {
    const std::lock_guard lock(catalog.names_mutex_);
    catalog.tables_.erase(name);
  }
  entry_->table.reset();
  for (const std::string& keyspace : KeyspacesOf(entry_->stored)) {
    (void)DropIfThere(catalog.database_, keyspace);  // The table is gone either way.
  }
  (void)catalog.KeepOwnPromise();  // A promise that is too short does no harm.
  return {};
}

std::vector<std::string> KeyspacesOf(const StoredTable& stored) {
  std::vector<std::string> names = {ItemsKeyspace(stored.label())};
  const auto add = [&](const std::vector<IndexSpec>& specs, const std::vector<StoredIndex>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      names.push_back(IndexKeyspace(stored.label(), specs[i].name, rows[i].number));
    }
  };
  add(stored.spec.global_indexes, stored.global_indexes);
  add(stored.spec.local_indexes, stored.local_indexes);
  if (stored.shadows != 0) names.push_back(ShadowsKeyspace(stored.label(), stored.shadows));
  for (const StoredStream& stream : stored.streams) {
    names.push_back(StreamKeyspace(stored.label(), stream.label));
  }
  return names;
}

std::optional<Millis> StreamPromise(const TableSpec& spec) {
  if (!spec.purge_within) return std::nullopt;
  return std::max(*spec.purge_within / 4, kPromiseMin);
}

Millis RecordTtl(const TableSpec& spec) {
  return std::min(StreamPromise(spec).value_or(kStreamRecordTtl), kStreamRecordTtl);
}

KeyspacePolicy PolicyOf(const StoredTable& stored, const std::string& keyspace) {
  KeyspacePolicy policy{.purge_within = stored.spec.purge_within};
  // Streams learn of deaths from events that carry the item; sweeps need the key alone.
  if (keyspace == ItemsKeyspace(stored.label()) && stored.spec.stream != StreamView::kOff) {
    policy.events = EventDetail::kKeyAndValue;
  }
  if (keyspace == ShadowsKeyspace(stored.label(), stored.shadows))
    policy.events = EventDetail::kKey;
  for (const StoredStream& stream : stored.streams) {
    if (keyspace == StreamKeyspace(stored.label(), stream.label)) {
      policy.purge_within = StreamPromise(stored.spec);
    }
  }
  return policy;
}

Result<std::shared_ptr<const Table>> OpenTable(Database& database, const StoredTable& stored) {
  const auto open = [&](const std::string& name) -> Result<std::shared_ptr<Keyspace>> {
    auto opened = database.OpenKeyspace(name);
    if (opened || !opened.status().IsNotFound()) return opened;
    return Status::Corruption(
        fmt::format("keyspace '{}' of table '{}' is missing", name, stored.spec.name));
  };
  auto table = std::make_shared<Table>();
  table->spec = stored.spec;
  table->id = stored.id;
  table->created_at = stored.created_at;
  table->ttl_status = stored.ttl_status;
  MAYFLY_TRY(table->items, open(ItemsKeyspace(stored.label())));
  const auto add = [&](const IndexSpec& spec, const StoredIndex& index, bool local) -> Status {
    MAYFLY_TRY(auto rows, open(IndexKeyspace(stored.label(), spec.name, index.number)));
    table->indexes.push_back(
        {.spec = spec, .local = local, .status = index.status, .rows = std::move(rows)});
    return {};
  };
  for (std::size_t i = 0; i < stored.global_indexes.size(); ++i) {
    MAYFLY_RETURN_IF_ERROR(add(stored.spec.global_indexes[i], stored.global_indexes[i], false));
  }
  for (std::size_t i = 0; i < stored.local_indexes.size(); ++i) {
    MAYFLY_RETURN_IF_ERROR(add(stored.spec.local_indexes[i], stored.local_indexes[i], true));
  }
  if (stored.shadows != 0) {
    MAYFLY_TRY(table->shadows, open(ShadowsKeyspace(stored.label(), stored.shadows)));
  }
  if (!stored.streams.empty()) table->stream_label = stored.streams.back().label;
  return std::shared_ptr<const Table>(std::move(table));
}

}  // namespace mayfly::tables
