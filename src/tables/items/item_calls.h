// item_calls.h - the calls on items, by families. Their contracts are in mayfly/tables.h.
// A write uses its tables, takes the latches of its items, holds their streams and runs one
// transaction, optimistic or latched (single_row_writes.h); a read of several items is one
// snapshot. Dead items are absent to both because core hides them: nothing here compares a deadline
// with the time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "mayfly/result.h"
#include "mayfly/tables.h"
#include "tables/items/item_context.h"
#include "tables/items/item_write.h"

namespace mayfly::tables {

// item_writes.cc
Result<WriteOutcome> PutItem(const ItemContext& context, const PutItemRequest& request);
Result<WriteOutcome> UpdateItem(const ItemContext& context, const UpdateItemRequest& request);
Result<WriteOutcome> DeleteItem(const ItemContext& context, const DeleteItemRequest& request);
Result<std::vector<WriteOutcome>> BatchWriteItem(
    const ItemContext& context,
    const std::vector<std::variant<PutItemRequest, DeleteItemRequest>>& requests);

// write_route.cc: as ProtocolTables::WritePrefix().
std::vector<Result<WriteOutcome>> WritePrefix(const ItemContext& context,
                                              std::span<const ItemWrite> writes);

// item_reads.cc
Result<FoundItem> GetItem(const ItemContext& context, const GetItemRequest& request);
Result<std::vector<FoundItem>> BatchGetItem(const ItemContext& context,
                                            const std::vector<GetItemRequest>& requests);
Result<std::vector<FoundItem>> TransactGetItems(const ItemContext& context,
                                                const std::vector<GetItemRequest>& requests);

// item_transactions.cc
Result<TransactOutcome> TransactWriteItems(const ItemContext& context,
                                           const std::vector<TransactWrite>& actions,
                                           const std::string& token);

// key_lists.cc
Result<std::vector<AttributeValue>> ListPartitionKeys(const ItemContext& context,
                                                      const std::string& table,
                                                      const std::optional<AttributeValue>& after,
                                                      std::size_t keys_max);
Result<std::vector<std::string>> ListSortKeyPrefixes(
    const ItemContext& context, const std::string& table, const AttributeValue& partition,
    const std::string& delimiter, const std::string& prefix, std::size_t prefixes_max);

// item_ttl.cc
Status SetTtl(const ItemContext& context, const std::string& table, const Item& key, Millis ttl);
Result<bool> RemoveTtl(const ItemContext& context, const std::string& table, const Item& key);
Result<Millis> GetTtl(const ItemContext& context, const std::string& table, const Item& key);

}  // namespace mayfly::tables
