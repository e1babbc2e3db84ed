#include <fmt/format.h>

#include <array>
#include <variant>

#include "dynamo/attribute_json.h"
#include "dynamo/capacity.h"
#include "dynamo/expression_input.h"
#include "dynamo/limits.h"
#include "dynamo/operations.h"
#include "dynamo/table_errors.h"

namespace mayfly::dynamo {
namespace {

const ExpressionParameters kGet = {{"ProjectionExpression"}, {"AttributesToGet"}};

const json::object& ObjectOf(const json::value& value) {
  if (!value.is_object()) {
    throw Refusal(ErrorKind::kSerialization, "Unexpected value type in payload");
  }
  return value.get_object();
}

// RequestItems: by table.
const json::object& RequestItems(const Fields& in) {
  const json::object& items = in.RequiredMap("RequestItems");
  if (in.Has("RequestItems")) {
    in.validation().Length("requestItems", fmt::format("[{} members]", items.size()), items.size(),
                           1, SIZE_MAX);
  }
  return items;
}

// Whose answer stands where, and what it would be unprocessed.
struct WantedItem {
  std::string named;  // The table as the request names it.
  const json::value* key;
  bool consistent;
};

void ReadKeys(const Fields& in, const std::string& named, std::vector<GetItemRequest>& requests,
              std::vector<WantedItem>& wanted) {
  const json::array& keys = in.RequiredList("Keys", 1);
  const bool consistent = in.Boolean("ConsistentRead");
  in.validation().Name("requestItems." + named, TableOfArn(named));
  in.Check();
  const ExpressionInput input(in, kGet);
  for (const json::value& key : keys) {
    requests.push_back({.table = TableOfArn(named),
                        .key = ReadItem(ObjectOf(key)),
                        .projection = input.Projection(),
                        .arguments = input.arguments()});
    wanted.push_back({named, &key, consistent});
  }
}

// The request's own entry of a table, with the keys that are left.
json::object& UnprocessedEntry(json::object& unprocessed, const json::object& request_items,
                               const std::string& named) {
  if (!unprocessed.contains(ToJson(named))) {
    json::object entry = request_items.at(ToJson(named)).as_object();
    entry["Keys"] = json::array();
    unprocessed[ToJson(named)] = std::move(entry);
  }
  return unprocessed[ToJson(named)].get_object();
}

Reply BatchGetItem(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kRead);
  const json::object& request_items = RequestItems(in);
  in.Check();
  std::vector<GetItemRequest> requests;
  std::vector<WantedItem> wanted;
  for (const auto& [table, entry] : request_items) {
    const Fields fields(ObjectOf(entry), in.validation(),
                        fmt::format("requestItems.{}.member", std::string(table)));
    ReadKeys(fields, std::string(table), requests, wanted);
  }
  if (requests.size() > kBatchGetKeysMax) {
    throw Invalid("Too many items requested for the BatchGetItem call");
  }
  const std::vector<FoundItem> found = OfItem(context.tables.BatchGetItem(requests));

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

BatchWrite ReadWrite(const Fields& in, const std::string& table) {
  const auto put = in.Structure("PutRequest");
  const auto remove = in.Structure("DeleteRequest");
  if (put && remove) {
    throw Invalid(
        "Supplied WriteRequest has more than one operation, must contain exactly one of PutRequest "
        "and DeleteRequest");
  }
  if (put) {
    const json::object& item = put->RequiredMap("Item");
    in.Check();
    return PutItemRequest{.table = table, .item = ReadItem(item)};
  }
  if (remove) {
    const json::object& key = remove->RequiredMap("Key");
    in.Check();
    return DeleteItemRequest{.table = table, .key = ReadItem(key)};
  }
  throw Invalid(
      "Supplied WriteRequest is empty, must contain exactly one of PutRequest and DeleteRequest");
}

Reply BatchWriteItem(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kWrite);
  const std::string metrics = in.OneOf("ReturnItemCollectionMetrics", {"SIZE", "NONE"});
  const json::object& request_items = RequestItems(in);
  in.Check();
  std::vector<BatchWrite> writes;
  std::vector<std::string> tables;
  const Fields by_table(request_items, in.validation(), "requestItems");
  for (const auto& [name, ignored] : request_items) {
    const std::string named(name);
    const std::string table = TableOfArn(named);
    in.validation().Name("requestItems." + named, table);
    by_table.RequiredList(named, 1, kBatchWritesMax);
    in.Check();
    for (const Fields& write : by_table.Structures(named)) {
      writes.push_back(ReadWrite(write, table));
      tables.push_back(table);
    }
  }
  if (writes.size() > kBatchWritesMax) {
    throw Invalid("Too many items requested for the BatchWriteItem call");
  }
  const std::vector<WriteOutcome> outcomes = OfItem(context.tables.BatchWriteItem(writes));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    capacity.Add(tables[i], WriteUnits(outcomes[i].bytes));
  }
  json::object reply;
  reply["UnprocessedItems"] = json::object();  // All of them are written, or the call failed.
  if (metrics == "SIZE") reply["ItemCollectionMetrics"] = json::object();
  capacity.WriteAll(reply);
  return reply;
}

constexpr std::array kOperations = std::to_array<Operation>({
    {kTablePrefix, "BatchGetItem",   BatchGetItem,   "Reads up to 100 items."            },
    {kTablePrefix, "BatchWriteItem", BatchWriteItem, "Writes and removes up to 25 items."},
});

}  // namespace

std::span<const Operation> BatchOperations() { return kOperations; }

}  // namespace mayfly::dynamo
