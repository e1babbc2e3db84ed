#include <array>

#include "dynamo/attribute_json.h"
#include "dynamo/capacity.h"
#include "dynamo/item_requests.h"
#include "dynamo/operations.h"
#include "dynamo/table_errors.h"

namespace mayfly::dynamo {
namespace {

json::object WriteOutcomeOf(const WriteOutcome& outcome, const std::string& table,
                            Capacity& capacity) {
  if (!outcome.written) {
    json::object extra;
    if (outcome.attributes) extra["Item"] = WriteItem(*outcome.attributes);
    throw Refusal(ErrorKind::kConditionalCheckFailed, "The conditional request failed",
                  std::move(extra));
  }
  json::object reply;
  if (outcome.attributes && !outcome.attributes->empty()) {
    reply["Attributes"] = WriteItem(*outcome.attributes);
  }
  capacity.Add(table, WriteUnits(outcome.bytes));
  capacity.WriteOne(reply);
  return reply;
}

json::object PutItem(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kWrite);
  const PutItemRequest request = ReadPut(in, Place::kAlone);
  return WriteOutcomeOf(OfItem(context.tables.PutItem(request)), request.table, capacity);
}

json::object UpdateItem(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kWrite);
  const UpdateItemRequest request = ReadUpdate(in, Place::kAlone);
  return WriteOutcomeOf(OfItem(context.tables.UpdateItem(request)), request.table, capacity);
}

json::object DeleteItem(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kWrite);
  const DeleteItemRequest request = ReadDelete(in, Place::kAlone);
  return WriteOutcomeOf(OfItem(context.tables.DeleteItem(request)), request.table, capacity);
}

json::object GetItem(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kRead);
  const bool consistent = in.Boolean("ConsistentRead");
  const GetItemRequest request = ReadGet(in, Place::kAlone);
  const FoundItem found = OfItem(context.tables.GetItem(request));
  json::object reply;
  if (found.item) reply["Item"] = WriteItem(*found.item);
  capacity.Add(request.table, ReadUnits(found.bytes, consistent));
  capacity.WriteOne(reply);
  return reply;
}

constexpr std::array kOperations = std::to_array<Operation>({
    {kTablePrefix, "PutItem",    PutItem,    "Writes an item, whole."                          },
    {kTablePrefix, "GetItem",    GetItem,    "Reads an item."                                  },
    {kTablePrefix, "UpdateItem", UpdateItem, "Changes some attributes of an item, or makes it."},
    {kTablePrefix, "DeleteItem", DeleteItem, "Removes an item."                                },
});

}  // namespace

std::span<const Operation> ItemOperations() { return kOperations; }

}  // namespace mayfly::dynamo
