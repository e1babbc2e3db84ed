// fake_tables.h - tables on plain maps that record their calls.
// For tests of dynamo: expressions are recorded and not evaluated, indexes are described and not
// kept, and a write returns `next_outcome` if that is set.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tables/protocol_tables.h"

namespace mayfly::dynamo {

class FakeTables final : public tables::ProtocolTables {
 public:
  explicit FakeTables(const Clock& clock) : clock_(clock) {}

  // The last requests of their kinds.
  PutItemRequest put;
  UpdateItemRequest update;
  DeleteItemRequest remove;
  GetItemRequest get;
  QueryRequest query;
  ScanRequest scan;
  std::vector<TransactWrite> transaction;
  std::string token;
  TableChange change;

  // Results of the next call instead of its own; each is used once.
  std::optional<WriteOutcome> next_outcome;
  std::optional<TransactOutcome> next_transaction;
  std::optional<ItemPage> next_page;
  std::optional<Status> next_failure;
  std::uint64_t item_bytes = 100;  // Every item's size.
  std::optional<Millis> ttl;       // Of every item; nothing: kForever.
  std::vector<StreamRecord> records;

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
  Result<ItemPage> QueryInto(const QueryRequest& request, tables::PageSink& sink) override;
  Result<ItemPage> ScanInto(const ScanRequest& request, tables::PageSink& sink) override;
  Result<tables::ReadSchema> FindReadSchema(const std::string& table,
                                            const std::string& index) override;
  std::vector<Result<WriteOutcome>> WritePrefix(std::span<const tables::ItemWrite> writes) override;
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

 private:
  struct FakeTable {
    TableDescription description;
    std::vector<std::pair<Item, Item>> items;  // Keys and wholes, in order of arrival.
  };

  // NotFound, or `next_failure`.
  Result<FakeTable*> Find(const std::string& name);
  static Item KeyOf(const TableSpec& spec, const Item& item);
  static Item* FindItem(FakeTable& table, const Item& key);
  WriteOutcome Written(std::uint64_t version) const;
  StreamDescription Describe(const FakeTable& table) const;

  const Clock& clock_;
  std::map<std::string, FakeTable> tables_;
};

}  // namespace mayfly::dynamo
