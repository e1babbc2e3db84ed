// batch_operations.cc - BatchGetItem and BatchWriteItem.
#include <fmt/format.h>

#include <array>
#include <variant>

#include "dynamo/json/attribute_json.h"
#include "dynamo/json/limits.h"
#include "dynamo/operations/operations.h"
#include "dynamo/requests/capacity.h"
#include "dynamo/requests/expression_input.h"
#include "dynamo/shapes/request_shapes.h"
#include "dynamo/tables/table_errors.h"

namespace mayfly::dynamo {
namespace {

const ExpressionParameters kGet = {{"ProjectionExpression"}, {"AttributesToGet"}};

// Where an item's reply belongs, and its key if it stays unprocessed.
struct WantedItem {
  std::string named;  // The table as the request names it.
  const json::value* key;
  bool consistent;
};

Outcome<void> ReadKeys(const Fields& in, const std::string& named,
                       std::vector<GetItemRequest>& requests, std::vector<WantedItem>& wanted) {
  const json::array& keys = in.ListOrNone("Keys");
  const bool consistent = in.Boolean("ConsistentRead");
  MAYFLY_TRY(const ExpressionInput input, ReadExpressions(in, kGet));
  for (const json::value& key : keys) {
    MAYFLY_TRY(const json::object* const attributes, ObjectOf(key));
    MAYFLY_TRY(Item item, ReadItem(*attributes));
    requests.push_back({.table = TableOfArn(named),
                        .key = std::move(item),
                        .projection = input.projection,
                        .arguments = input.arguments});
    wanted.push_back({named, &key, consistent});
  }
  return {};
}

// The request's own entry of a table, with the remaining keys.
json::object& UnprocessedEntry(json::object& unprocessed, const json::object& request_items,
                               const std::string& named) {
  if (!unprocessed.contains(ToJson(named))) {
    json::object entry = request_items.if_contains(ToJson(named))->get_object();
    entry["Keys"] = json::array();
    unprocessed[ToJson(named)] = std::move(entry);
  }
  return unprocessed[ToJson(named)].get_object();
}

Outcome<Reply> BatchGetItem(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kRead);
  const json::object& request_items = in.MapOrNone("RequestItems");
  std::vector<GetItemRequest> requests;
  std::vector<WantedItem> wanted;
  for (const auto& [table, entry] : request_items) {
    MAYFLY_TRY(const json::object* const members, ObjectOf(entry));
    MAYFLY_REQUIRE(ReadKeys(Fields(*members), std::string(table), requests, wanted));
  }
  if (requests.size() > kBatchGetKeysMax) {
    return Invalid("Too many items requested for the BatchGetItem call");
  }
  MAYFLY_TRY(const std::vector<FoundItem> found, OfItem(context.tables.BatchGetItem(requests)));

  json::object responses;
  json::object unprocessed;
  for (const auto& [table, entry] : request_items) responses[table] = json::array();
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    bytes += found[i].bytes;
    if (bytes > kBatchGetBytesMax) {
      UnprocessedEntry(unprocessed, request_items, wanted[i].named)["Keys"].get_array().push_back(
          *wanted[i].key);
      continue;
    }
    capacity.Add(requests[i].table, ReadUnits(found[i].bytes, wanted[i].consistent));
    if (!found[i].item) continue;
    responses[ToJson(wanted[i].named)].get_array().emplace_back(WriteItem(*found[i].item));
  }
  json::object reply;
  reply["Responses"] = std::move(responses);
  reply["UnprocessedKeys"] = std::move(unprocessed);
  capacity.WriteAll(reply);
  return reply;
}

using BatchWrite = std::variant<PutItemRequest, DeleteItemRequest>;

Outcome<BatchWrite> ReadWrite(const Fields& in, const std::string& table) {
  const auto put = in.Structure("PutRequest");
  const auto remove = in.Structure("DeleteRequest");
  if (put && remove) {
    return Invalid(
        "Supplied WriteRequest has more than one operation, must contain exactly one of PutRequest "
        "and DeleteRequest");
  }
  if (put) {
    const json::object& item = put->MapOrNone("Item");
    MAYFLY_TRY(Item read, ReadItem(item));
    return PutItemRequest{.table = table, .item = std::move(read)};
  }
  if (remove) {
    const json::object& key = remove->MapOrNone("Key");
    MAYFLY_TRY(Item read, ReadItem(key));
    return DeleteItemRequest{.table = table, .key = std::move(read)};
  }
  return Invalid(
      "Supplied WriteRequest is empty, must contain exactly one of PutRequest and DeleteRequest");
}

Outcome<Reply> BatchWriteItem(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kWrite);
  const std::string metrics = in.Text("ReturnItemCollectionMetrics");
  const json::object& request_items = in.MapOrNone("RequestItems");
  std::vector<BatchWrite> writes;
  std::vector<std::string> tables;
  const Fields by_table(request_items);
  for (const auto& [name, ignored] : request_items) {
    const std::string named(name);
    const std::string table = TableOfArn(named);
    for (const Fields& write : by_table.Structures(named)) {
      MAYFLY_TRY(BatchWrite read, ReadWrite(write, table));
      writes.push_back(std::move(read));
      tables.push_back(table);
    }
  }
  if (writes.size() > kBatchWritesMax) {
    return Invalid("Too many items requested for the BatchWriteItem call");
  }
  MAYFLY_TRY(const std::vector<WriteOutcome> outcomes,
             OfItem(context.tables.BatchWriteItem(writes)));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    capacity.Add(tables[i], WriteUnits(outcomes[i].bytes));
  }
  json::object reply;
  reply["UnprocessedItems"] = json::object();  // All of them are written, or the call failed.
  if (metrics == "SIZE") reply["ItemCollectionMetrics"] = json::object();
  capacity.WriteAll(reply);
  return reply;
}

constexpr std::array kBatchOperations = std::to_array<Operation>({
    {kTablePrefix, "BatchGetItem", &kBatchGetItemShape, BatchGetItem, "Reads up to 100 items.",
     kReads},
    {kTablePrefix, "BatchWriteItem", &kBatchWriteItemShape, BatchWriteItem,
     "Writes and removes up to 25 items.", kWrites},
});

}  // namespace

std::span<const Operation> BatchOperations() { return kBatchOperations; }

}  // namespace mayfly::dynamo
