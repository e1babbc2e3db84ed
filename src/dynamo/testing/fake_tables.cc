#include "dynamo/testing/fake_tables.h"

#include <algorithm>
#include <utility>

#include "mayfly/keyspace.h"

namespace mayfly::dynamo {
namespace {

template <typename T>
std::optional<T> Take(std::optional<T>& from) {
  return std::exchange(from, std::nullopt);
}

Result<ItemPage> MoveInto(Result<ItemPage> page, tables::PageSink& sink) {
  if (!page) return page;
  for (Item& item : page->items) sink.Take(std::move(item));
  page->items.clear();
  return page;
}

}  // namespace

Result<FakeTables::FakeTable*> FakeTables::Find(const std::string& name) {
  if (auto failure = Take(next_failure)) return *failure;
  const auto found = tables_.find(name);
  if (found == tables_.end()) return Status::NotFound("there is no table " + name);
  return &found->second;
}

Item FakeTables::KeyOf(const TableSpec& spec, const Item& item) {
  Item key;
  for (const auto& [name, value] : item) {
    if (name == spec.partition.name || (spec.sort && name == spec.sort->name)) {
      key.emplace(name, value);
    }
  }
  return key;
}

Item* FakeTables::FindItem(FakeTable& table, const Item& key) {
  for (auto& [known, item] : table.items) {
    if (known == key) return &item;
  }
  return nullptr;
}

WriteOutcome FakeTables::Written(std::uint64_t version) const {
  WriteOutcome outcome;
  outcome.version = version;
  outcome.bytes = item_bytes;
  return outcome;
}

Result<TableDescription> FakeTables::CreateTable(const TableSpec& spec) {
  if (auto failure = Take(next_failure)) return *failure;
  if (tables_.contains(spec.name)) return Status::Busy("there is a table " + spec.name);
  FakeTable& table = tables_[spec.name];
  table.description.spec = spec;
  table.description.id = "6f1c1c4e-0000-4000-8000-000000000001";
  table.description.created_at = clock_.Now();
  if (!spec.ttl_attribute.empty()) table.description.ttl_status = TtlStatus::kEnabled;
  if (spec.stream != StreamView::kOff) table.description.stream_label = "label-1";
  return table.description;
}

Result<TableDescription> FakeTables::DescribeTable(const std::string& name) {
  MAYFLY_TRY(FakeTable * table, Find(name));
  table->description.items = table->items.size();
  return table->description;
}

Result<std::vector<std::string>> FakeTables::ListTables(const std::string& after,
                                                        std::size_t tables_max) {
  std::vector<std::string> names;
  for (auto at = tables_.upper_bound(after); at != tables_.end() && names.size() < tables_max;
       ++at) {
    names.push_back(at->first);
  }
  return names;
}

Result<TableDescription> FakeTables::UpdateTable(const std::string& name,
                                                 const TableChange& wanted) {
  MAYFLY_TRY(FakeTable * table, Find(name));
  change = wanted;
  TableSpec& spec = table->description.spec;
  if (wanted.add_global_index) {
    spec.global_indexes.push_back(*wanted.add_global_index);
    table->description.indexes[wanted.add_global_index->name].status = IndexStatus::kCreating;
  }
  std::erase_if(spec.global_indexes,
                [&](const IndexSpec& index) { return index.name == wanted.drop_global_index; });
  if (wanted.stream) spec.stream = *wanted.stream;
  if (wanted.stream && *wanted.stream != StreamView::kOff) {
    table->description.stream_label = "label-1";
  }
  if (wanted.ttl_attribute) {
    spec.ttl_attribute = *wanted.ttl_attribute;
    table->description.ttl_status =
        spec.ttl_attribute.empty() ? TtlStatus::kDisabled : TtlStatus::kEnabled;
  }
  if (wanted.ttl_mode) spec.ttl_mode = *wanted.ttl_mode;
  if (wanted.purge_within) {
    spec.purge_within = *wanted.purge_within;
    if (*wanted.purge_within == Millis(0)) spec.purge_within.reset();
  }
  if (wanted.notes) spec.notes = *wanted.notes;
  return table->description;
}

Result<TableDescription> FakeTables::ReviseTable(const std::string& name,
                                                 const TableDecision& decide) {
  MAYFLY_TRY(const FakeTable* table, Find(name));
  MAYFLY_TRY(const TableChange wanted, decide(table->description.spec));
  return UpdateTable(name, wanted);
}

Result<TableDescription> FakeTables::DropTable(const std::string& name, const TableCheck& check) {
  MAYFLY_TRY(FakeTable * table, Find(name));
  if (check) MAYFLY_RETURN_IF_ERROR(check(table->description.spec));
  TableDescription last = table->description;
  tables_.erase(name);
  return last;
}

Result<WriteOutcome> FakeTables::PutItem(const PutItemRequest& request) {
  MAYFLY_TRY(FakeTable * table, Find(request.table));
  put = request;
  if (auto outcome = Take(next_outcome)) return *outcome;
  WriteOutcome outcome = Written(1);
  const Item key = KeyOf(table->description.spec, request.item);
  if (Item* const known = FindItem(*table, key)) {
    if (request.return_values == ReturnValues::kAllOld) outcome.attributes = *known;
    *known = request.item;
  } else {
    table->items.emplace_back(key, request.item);
  }
  return outcome;
}

Result<WriteOutcome> FakeTables::UpdateItem(const UpdateItemRequest& request) {
  MAYFLY_TRY(FakeTable * table, Find(request.table));
  update = request;
  if (auto outcome = Take(next_outcome)) return *outcome;
  if (FindItem(*table, request.key) == nullptr) {
    table->items.emplace_back(request.key, request.key);
  }
  return Written(1);
}

Result<WriteOutcome> FakeTables::DeleteItem(const DeleteItemRequest& request) {
  MAYFLY_TRY(FakeTable * table, Find(request.table));
  remove = request;
  if (auto outcome = Take(next_outcome)) return *outcome;
  WriteOutcome outcome = Written(0);
  if (const Item* const known = FindItem(*table, request.key)) {
    if (request.return_values == ReturnValues::kAllOld) outcome.attributes = *known;
  }
  std::erase_if(table->items, [&](const auto& item) { return item.first == request.key; });
  return outcome;
}

Result<FoundItem> FakeTables::GetItem(const GetItemRequest& request) {
  MAYFLY_TRY(FakeTable * table, Find(request.table));
  get = request;
  const Item* const known = FindItem(*table, request.key);
  if (known == nullptr) return FoundItem();
  return FoundItem{.item = *known, .version = 1, .bytes = item_bytes};
}

Result<std::vector<FoundItem>> FakeTables::BatchGetItem(
    const std::vector<GetItemRequest>& requests) {
  std::vector<FoundItem> all;
  for (const GetItemRequest& request : requests) {
    MAYFLY_TRY(FoundItem found, GetItem(request));
    all.push_back(std::move(found));
  }
  return all;
}

Result<std::vector<WriteOutcome>> FakeTables::BatchWriteItem(
    const std::vector<std::variant<PutItemRequest, DeleteItemRequest>>& requests) {
  std::vector<WriteOutcome> all;
  for (const auto& request : requests) {
    const auto* const wanted = std::get_if<PutItemRequest>(&request);
    MAYFLY_TRY(WriteOutcome outcome, wanted != nullptr
                                         ? PutItem(*wanted)
                                         : DeleteItem(std::get<DeleteItemRequest>(request)));
    all.push_back(std::move(outcome));
  }
  return all;
}

Result<std::vector<FoundItem>> FakeTables::TransactGetItems(
    const std::vector<GetItemRequest>& requests) {
  return BatchGetItem(requests);
}

Result<TransactOutcome> FakeTables::TransactWriteItems(const std::vector<TransactWrite>& actions,
                                                       const std::string& given_token) {
  transaction = actions;
  token = given_token;
  if (auto failure = Take(next_failure)) return *failure;
  if (auto outcome = Take(next_transaction)) return *outcome;
  TransactOutcome outcome;
  outcome.verdicts.resize(actions.size());
  outcome.bytes.assign(actions.size(), item_bytes);
  return outcome;
}

Result<ItemPage> FakeTables::Query(const QueryRequest& request) {
  MAYFLY_TRY(FakeTable * table, Find(request.table));
  static_cast<void>(table);
  query = request;
  return Take(next_page).value_or(ItemPage());
}

Result<ItemPage> FakeTables::Scan(const ScanRequest& request) {
  MAYFLY_TRY(FakeTable * table, Find(request.table));
  scan = request;
  if (auto page = Take(next_page)) return *page;
  ItemPage page;
  for (const auto& [key, item] : table->items) page.items.push_back(item);
  page.count = page.scanned = page.items.size();
  return page;
}

Result<ItemPage> FakeTables::QueryInto(const QueryRequest& request, tables::PageSink& sink) {
  return MoveInto(Query(request), sink);
}

Result<tables::ReadSchema> FakeTables::FindReadSchema(const std::string& table,
                                                      const std::string& index) {
  MAYFLY_TRY(const FakeTable* const found, Find(table));
  if (!index.empty()) return Status::Invalid("The table does not have the specified index");
  const TableSpec& spec = found->description.spec;
  tables::ReadSchema schema = {.partition = spec.partition.name};
  if (spec.sort) schema.sort = spec.sort->name;
  return schema;
}

Result<ItemPage> FakeTables::ScanInto(const ScanRequest& request, tables::PageSink& sink) {
  return MoveInto(Scan(request), sink);
}

std::vector<Result<WriteOutcome>> FakeTables::WritePrefix(
    std::span<const tables::ItemWrite> writes) {
  struct Call {
    FakeTables& tables;

    Result<WriteOutcome> operator()(const PutItemRequest& request) {
      return tables.PutItem(request);
    }
    Result<WriteOutcome> operator()(const UpdateItemRequest& request) {
      return tables.UpdateItem(request);
    }
    Result<WriteOutcome> operator()(const DeleteItemRequest& request) {
      return tables.DeleteItem(request);
    }
  };
  std::vector<Result<WriteOutcome>> first;
  if (!writes.empty()) first.push_back(std::visit(Call{*this}, writes.front()));
  return first;
}

Result<std::vector<AttributeValue>> FakeTables::ListPartitionKeys(
    const std::string&, const std::optional<AttributeValue>&, std::size_t) {
  return Status::Unsupported("the edge does not ask for it");
}

Result<std::vector<std::string>> FakeTables::ListSortKeyPrefixes(const std::string&,
                                                                 const AttributeValue&,
                                                                 const std::string&,
                                                                 const std::string&, std::size_t) {
  return Status::Unsupported("the edge does not ask for it");
}

Status FakeTables::SetTtl(const std::string& name, const Item& key, Millis length) {
  MAYFLY_RETURN_IF_ERROR(GetTtl(name, key).status());
  ttl = length;
  return {};
}

Result<bool> FakeTables::RemoveTtl(const std::string& name, const Item& key) {
  MAYFLY_RETURN_IF_ERROR(GetTtl(name, key).status());
  return Take(ttl).has_value();
}

Result<Millis> FakeTables::GetTtl(const std::string& name, const Item& key) {
  MAYFLY_TRY(FakeTable * table, Find(name));
  if (FindItem(*table, key) == nullptr) return Status::NotFound("there is no such item");
  return ttl.value_or(kForever);
}

Result<std::uint64_t> FakeTables::SweepExpired(const std::string& name, std::uint64_t items_max) {
  MAYFLY_TRY(FakeTable * table, Find(name));
  const auto removed = std::min<std::uint64_t>(table->items.size(), items_max);
  table->items.resize(table->items.size() - removed);
  return removed;
}

Result<std::unique_ptr<TableReaper>> FakeTables::StartReaper(const TableReaperOptions&) {
  return Status::Unsupported("nothing dies here");
}

Result<std::uint64_t> FakeTables::RunUpkeep(std::uint64_t) { return std::uint64_t{0}; }

StreamDescription FakeTables::Describe(const FakeTable& table) const {
  const TableSpec& spec = table.description.spec;
  StreamDescription stream;
  stream.table = spec.name;
  stream.label = table.description.stream_label;
  stream.view = spec.stream;
  stream.enabled = spec.stream != StreamView::kOff;
  stream.key_schema.emplace(spec.partition.name, "HASH");
  if (spec.sort) stream.key_schema.emplace(spec.sort->name, "RANGE");
  stream.created_at = table.description.created_at;
  stream.first_sequence = records.empty() ? 1 : records.front().sequence;
  stream.next_sequence = records.empty() ? 1 : records.back().sequence + 1;
  return stream;
}

Result<std::vector<StreamDescription>> FakeTables::ListStreams(const std::string& name) {
  std::vector<StreamDescription> streams;
  for (const auto& [known, table] : tables_) {
    if (!name.empty() && name != known) continue;
    if (!table.description.stream_label.empty()) streams.push_back(Describe(table));
  }
  return streams;
}

Result<StreamDescription> FakeTables::DescribeStream(const std::string& name,
                                                     const std::string& label) {
  MAYFLY_TRY(FakeTable * table, Find(name));
  if (label.empty() || table->description.stream_label != label) {
    return Status::NotFound("there is no such stream");
  }
  return Describe(*table);
}

Result<std::vector<StreamRecord>> FakeTables::ReadStream(const std::string& name,
                                                         const std::string& label,
                                                         std::uint64_t sequence,
                                                         std::size_t records_max) {
  MAYFLY_RETURN_IF_ERROR(DescribeStream(name, label).status());
  std::vector<StreamRecord> some;
  for (const StreamRecord& record : records) {
    if (record.sequence >= sequence && some.size() < records_max) some.push_back(record);
  }
  return some;
}

}  // namespace mayfly::dynamo
