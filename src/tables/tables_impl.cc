#include "tables/tables_impl.h"

#include "items/item_codec.h"
#include "tables/items/item_calls.h"
#include "tables/queries/query_calls.h"

namespace mayfly {

Result<std::unique_ptr<Tables>> Tables::Open(Database& database) {
  MAYFLY_TRY(auto tables, tables::ProtocolTables::Open(database));
  return std::unique_ptr<Tables>(std::move(tables));
}

namespace tables {
namespace {

class ItemsOfPage final : public PageSink {
 public:
  Status TakeStored(Bytes stored) override {
    MAYFLY_TRY(items::StoredItem decoded, items::DecodeItem(stored));
    items_.push_back(std::move(decoded.item));
    return {};
  }
  void Take(Item item) override { items_.push_back(std::move(item)); }

  std::vector<Item> Items() && { return std::move(items_); }

 private:
  std::vector<Item> items_;
};

}  // namespace

Result<std::unique_ptr<ProtocolTables>> ProtocolTables::Open(Database& database) {
  MAYFLY_TRY(auto service, TableService::Open(database));
  return std::unique_ptr<ProtocolTables>(std::make_unique<TablesImpl>(std::move(service)));
}

Result<TableDescription> TablesImpl::CreateTable(const TableSpec& spec) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return service_->CreateTable(spec);
}

Result<TableDescription> TablesImpl::DescribeTable(const std::string& name) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return service_->DescribeTable(name);
}

Result<std::vector<std::string>> TablesImpl::ListTables(const std::string& after,
                                                        std::size_t tables_max) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return service_->ListTables(after, tables_max);
}

Result<TableDescription> TablesImpl::UpdateTable(const std::string& name,
                                                 const TableChange& change) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return service_->UpdateTable(name, change);
}

Result<TableDescription> TablesImpl::ReviseTable(const std::string& name,
                                                 const TableDecision& decide) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return service_->ReviseTable(name, decide);
}

Result<TableDescription> TablesImpl::DropTable(const std::string& name, const TableCheck& check) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return service_->DropTable(name, check);
}

Result<WriteOutcome> TablesImpl::PutItem(const PutItemRequest& request) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::PutItem(context(), request);
}

Result<WriteOutcome> TablesImpl::UpdateItem(const UpdateItemRequest& request) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::UpdateItem(context(), request);
}

Result<WriteOutcome> TablesImpl::DeleteItem(const DeleteItemRequest& request) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::DeleteItem(context(), request);
}

Result<FoundItem> TablesImpl::GetItem(const GetItemRequest& request) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::GetItem(context(), request);
}

Result<std::vector<FoundItem>> TablesImpl::BatchGetItem(
    const std::vector<GetItemRequest>& requests) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::BatchGetItem(context(), requests);
}

Result<std::vector<WriteOutcome>> TablesImpl::BatchWriteItem(
    const std::vector<std::variant<PutItemRequest, DeleteItemRequest>>& requests) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::BatchWriteItem(context(), requests);
}

Result<std::vector<FoundItem>> TablesImpl::TransactGetItems(
    const std::vector<GetItemRequest>& requests) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::TransactGetItems(context(), requests);
}

Result<TransactOutcome> TablesImpl::TransactWriteItems(const std::vector<TransactWrite>& actions,
                                                       const std::string& token) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::TransactWriteItems(context(), actions, token);
}

Result<ItemPage> TablesImpl::Query(const QueryRequest& request) {
  ItemsOfPage items;
  MAYFLY_TRY(ItemPage page, QueryInto(request, items));
  page.items = std::move(items).Items();
  return page;
}

Result<ItemPage> TablesImpl::Scan(const ScanRequest& request) {
  ItemsOfPage items;
  MAYFLY_TRY(ItemPage page, ScanInto(request, items));
  page.items = std::move(items).Items();
  return page;
}

Result<ItemPage> TablesImpl::QueryInto(const QueryRequest& request, PageSink& sink) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::Query(context(), request, sink);
}

Result<ReadSchema> TablesImpl::FindReadSchema(const std::string& table, const std::string& index) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::FindReadSchema(context(), table, index);
}

Result<ItemPage> TablesImpl::ScanInto(const ScanRequest& request, PageSink& sink) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::Scan(context(), request, sink);
}

std::vector<Result<WriteOutcome>> TablesImpl::WritePrefix(std::span<const ItemWrite> writes) {
  if (const Status owner = CheckOwner(); !owner.ok()) {
    return std::vector<Result<WriteOutcome>>(writes.size(), owner);
  }
  return tables::WritePrefix(context(), writes);
}

Result<std::vector<AttributeValue>> TablesImpl::ListPartitionKeys(
    const std::string& table, const std::optional<AttributeValue>& after, std::size_t keys_max) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::ListPartitionKeys(context(), table, after, keys_max);
}

Result<std::vector<std::string>> TablesImpl::ListSortKeyPrefixes(const std::string& table,
                                                                 const AttributeValue& partition,
                                                                 const std::string& delimiter,
                                                                 const std::string& prefix,
                                                                 std::size_t prefixes_max) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::ListSortKeyPrefixes(context(), table, partition, delimiter, prefix, prefixes_max);
}

Status TablesImpl::SetTtl(const std::string& table, const Item& key, Millis ttl) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::SetTtl(context(), table, key, ttl);
}

Result<bool> TablesImpl::RemoveTtl(const std::string& table, const Item& key) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::RemoveTtl(context(), table, key);
}

Result<Millis> TablesImpl::GetTtl(const std::string& table, const Item& key) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return tables::GetTtl(context(), table, key);
}

Result<std::uint64_t> TablesImpl::SweepExpired(const std::string& table, std::uint64_t items_max) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return service_->SweepExpired(table, items_max);
}

Result<std::unique_ptr<TableReaper>> TablesImpl::StartReaper(const TableReaperOptions& options) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return service_->StartReaper(options);
}

Result<std::uint64_t> TablesImpl::RunUpkeep(std::uint64_t items_max) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return service_->RunUpkeep(items_max);
}

Result<std::vector<StreamDescription>> TablesImpl::ListStreams(const std::string& table) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return service_->ListStreams(table);
}

Result<StreamDescription> TablesImpl::DescribeStream(const std::string& table,
                                                     const std::string& label) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return service_->streams().Describe(table, label);
}

Result<std::vector<StreamRecord>> TablesImpl::ReadStream(const std::string& table,
                                                         const std::string& label,
                                                         std::uint64_t sequence,
                                                         std::size_t records_max) {
  MAYFLY_RETURN_IF_ERROR(CheckOwner());
  return service_->streams().Read(table, label, sequence, records_max);
}

}  // namespace tables
}  // namespace mayfly
