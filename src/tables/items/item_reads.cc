// item_reads.cc - GetItem, BatchGetItem and TransactGetItems.
#include <fmt/format.h>

#include <set>

#include "expressions/projection.h"
#include "items/item_codec.h"
#include "items/item_size.h"
#include "tables/items/item_calls.h"
#include "tables/items/item_transaction.h"
#include "tables/schema/item_check.h"
#include "tables/schema/item_limits.h"

namespace mayfly::tables {
namespace {

// A read of one item, parsed and checked.
struct ItemRead {
  const Table* table = nullptr;
  std::string key = {};
  std::optional<expressions::Projection> projection = std::nullopt;
};

// As far as the request alone tells, and then with its table.
Result<ItemRead> ReadDraftOf(const GetItemRequest& request) {
  ItemRead read;
  expressions::Arguments arguments(request.arguments);
  MAYFLY_RETURN_IF_ERROR(arguments.CheckForm());
  if (!request.projection.empty()) {
    MAYFLY_TRY(auto projection, expressions::Projection::Parse(request.projection, arguments));
    read.projection.emplace(std::move(projection));
  }
  MAYFLY_RETURN_IF_ERROR(arguments.CheckAllUsed(!request.projection.empty()));
  return read;
}

Result<ItemRead> ReadOf(const Table& table, const GetItemRequest& request, ItemRead draft) {
  MAYFLY_TRY(draft.key, KeyOf(table, request.key));
  draft.table = &table;
  return draft;
}

Result<FoundItem> Read(const KeyspaceReader& rows, const ItemRead& read) {
  PinnedBytes value;
  const Status status = rows.Get(read.key, value);
  FoundItem found;
  if (status.IsNotFound()) return found;
  MAYFLY_RETURN_IF_ERROR(status);
  MAYFLY_TRY(items::StoredItem stored, items::DecodeItem(value.view()));
  found.version = stored.version;
  found.bytes = items::SizeOf(stored.item);
  found.item = read.projection ? read.projection->Of(stored.item) : std::move(stored.item);
  return found;
}

// In one snapshot, each item once.
Result<std::vector<FoundItem>> ReadTogether(const ItemContext& context,
                                            const std::vector<GetItemRequest>& requests,
                                            const char* twice) {
  std::set<std::string> names;
  std::vector<ItemRead> drafts;
  for (const GetItemRequest& request : requests) {
    MAYFLY_TRY(ItemRead draft, ReadDraftOf(request));
    drafts.push_back(std::move(draft));
    names.insert(request.table);
  }
  MAYFLY_TRY(const TableUses tables, TableUses::Of(context.catalog, names));
  std::vector<ItemRead> reads;
  std::set<std::string> items;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    MAYFLY_TRY(ItemRead read, ReadOf(tables[requests[i].table], requests[i], std::move(drafts[i])));
    if (!items.insert(read.table->id + read.key).second) return Status::Invalid(twice);
    reads.push_back(std::move(read));
  }
  MAYFLY_TRY(const auto snapshot, context.database.NewSnapshot());
  std::vector<FoundItem> found;
  for (const ItemRead& read : reads) {
    MAYFLY_TRY(FoundItem one, Read(snapshot->In(*read.table->items), read));
    found.push_back(std::move(one));
  }
  return found;
}

}  // namespace

Result<FoundItem> GetItem(const ItemContext& context, const GetItemRequest& request) {
  MAYFLY_TRY(ItemRead draft, ReadDraftOf(request));
  MAYFLY_TRY(const TableUse table, context.catalog.Use(request.table));
  MAYFLY_TRY(const ItemRead read, ReadOf(*table, request, std::move(draft)));
  return Read(*table->items, read);
}

Result<std::vector<FoundItem>> BatchGetItem(const ItemContext& context,
                                            const std::vector<GetItemRequest>& requests) {
  if (requests.empty()) return Status::Invalid("a batch of reads needs at least one");
  if (requests.size() > kBatchGetsMax) {
    return Status::Invalid("Too many items requested for the BatchGetItem call");
  }
  return ReadTogether(context, requests, "Provided list of item keys contains duplicates");
}

Result<std::vector<FoundItem>> TransactGetItems(const ItemContext& context,
                                                const std::vector<GetItemRequest>& requests) {
  if (requests.empty()) return Status::Invalid("a transaction needs at least one action");
  if (requests.size() > kTransactActionsMax) {
    return Status::Invalid(fmt::format(
        "1 validation error detected: Value at 'transactItems' failed to satisfy constraint: "
        "Member must have length less than or equal to {}",
        kTransactActionsMax));
  }
  MAYFLY_TRY(auto found,
             ReadTogether(context, requests,
                          "Transaction request cannot include multiple operations on one item"));
  std::uint64_t bytes = 0;
  for (const FoundItem& one : found) bytes += one.bytes;
  MAYFLY_RETURN_IF_ERROR(CheckTransactBytes(bytes));
  return found;
}

}  // namespace mayfly::tables
