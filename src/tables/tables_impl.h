// tables_impl.h - the public calls, each forwarded to its implementation, unless this is a child
// made by fork(): the implementations take locks, which a thread of the parent may have held at the
// fork.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/owner_process.h"
#include "tables/protocol_tables.h"
#include "tables/table_service.h"

namespace mayfly::tables {

class TablesImpl final : public ProtocolTables {
 public:
  explicit TablesImpl(std::unique_ptr<TableService> service) : service_(std::move(service)) {}
  ~TablesImpl() override {
    if (!owner_.IsThis()) Abandon(std::move(service_));  // Locks in it may be the parent's.
  }

  Result<TableDescription> CreateTable(const TableSpec& spec) override;
  Result<TableDescription> DescribeTable(const std::string& name) override;
  Result<std::vector<std::string>> ListTables(const std::string& after,
                                              std::size_t tables_max) override;
  Result<TableDescription> UpdateTable(const std::string& name, const TableChange& change) override;
  Result<TableDescription> ReviseTable(const std::string& name,
                                       const TableDecision& decide) override;
  Result<TableDescription> DropTable(const std::string& name, const TableCheck& check) override;

  Result<WriteOutcome> PutItem(const PutItemRequest& request) override;
  Result<WriteOutcome> UpdateItem(const UpdateItemRequest& request) override;
  Result<WriteOutcome> DeleteItem(const DeleteItemRequest& request) override;
  Result<FoundItem> GetItem(const GetItemRequest& request) override;
  Result<std::vector<FoundItem>> BatchGetItem(const std::vector<GetItemRequest>& requests) override;
  Result<std::vector<WriteOutcome>> BatchWriteItem(
      const std::vector<std::variant<PutItemRequest, DeleteItemRequest>>& requests) override;
  Result<std::vector<FoundItem>> TransactGetItems(
      const std::vector<GetItemRequest>& requests) override;
  Result<TransactOutcome> TransactWriteItems(const std::vector<TransactWrite>& actions,
                                             const std::string& token) override;
  Result<ItemPage> Query(const QueryRequest& request) override;
  Result<ItemPage> Scan(const ScanRequest& request) override;
  Result<std::vector<AttributeValue>> ListPartitionKeys(const std::string& table,
                                                        const std::optional<AttributeValue>& after,
                                                        std::size_t keys_max) override;
  Result<std::vector<std::string>> ListSortKeyPrefixes(const std::string& table,
                                                       const AttributeValue& partition,
                                                       const std::string& delimiter,
                                                       const std::string& prefix,
                                                       std::size_t prefixes_max) override;
  Status SetTtl(const std::string& table, const Item& key, Millis ttl) override;
  Result<bool> RemoveTtl(const std::string& table, const Item& key) override;
  Result<Millis> GetTtl(const std::string& table, const Item& key) override;

  Result<std::uint64_t> SweepExpired(const std::string& table, std::uint64_t items_max) override;
  Result<std::unique_ptr<TableReaper>> StartReaper(const TableReaperOptions& options) override;
  Result<std::uint64_t> RunUpkeep(std::uint64_t items_max) override;

  Result<std::vector<StreamDescription>> ListStreams(const std::string& table) override;
  Result<StreamDescription> DescribeStream(const std::string& table,
                                           const std::string& label) override;
  Result<std::vector<StreamRecord>> ReadStream(const std::string& table, const std::string& label,
                                               std::uint64_t sequence,
                                               std::size_t records_max) override;

  Result<ItemPage> QueryInto(const QueryRequest& request, PageSink& sink) override;
  Result<ItemPage> ScanInto(const ScanRequest& request, PageSink& sink) override;
  Result<ReadSchema> FindReadSchema(const std::string& table, const std::string& index) override;
  std::vector<Result<WriteOutcome>> WritePrefix(std::span<const ItemWrite> writes) override;

 private:
  Status CheckOwner() const { return owner_.IsThis() ? Status() : OwnerProcess::Refusal(); }
  const ItemContext& context() const { return service_->context(); }

  const OwnerProcess owner_;
  std::unique_ptr<TableService> service_;
};

}  // namespace mayfly::tables
