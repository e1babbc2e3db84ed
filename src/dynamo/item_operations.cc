#include <array>

#include "dynamo/attribute_json.h"
#include "dynamo/capacity.h"
#include "dynamo/item_requests.h"
#include "dynamo/item_text.h"
#include "dynamo/operations.h"
#include "dynamo/table_errors.h"

namespace mayfly::dynamo {
namespace {

Reply WriteOutcomeOf(const WriteOutcome& outcome, const std::string& table, Capacity& capacity) {
  if (!outcome.written) {
    json::object extra;
    if (outcome.attributes) extra["Item"] = WriteItem(*outcome.attributes);
    throw Refusal(ErrorKind::kConditionalCheckFailed, "The conditional request failed",
                  std::move(extra));
  }
  Reply reply;
  if (outcome.attributes && !outcome.attributes->empty()) {
    reply.texts.emplace_back("Attributes", ItemText(*outcome.attributes));
  }
  capacity.Add(table, WriteUnits(outcome.bytes));
  capacity.WriteOne(reply.members);
  return reply;
}

Reply PutItem(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kWrite);
  const PutItemRequest request = ReadPut(in, Place::kAlone);
  return WriteOutcomeOf(OfItem(context.tables.PutItem(request)), request.table, capacity);
}

Reply UpdateItem(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kWrite);
  const UpdateItemRequest request = ReadUpdate(in, Place::kAlone);
  return WriteOutcomeOf(OfItem(context.tables.UpdateItem(request)), request.table, capacity);
}

Reply DeleteItem(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kWrite);
  const DeleteItemRequest request = ReadDelete(in, Place::kAlone);
  return WriteOutcomeOf(OfItem(context.tables.DeleteItem(request)), request.table, capacity);
}

Reply GetItem(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kRead);
  const bool consistent = in.Boolean("ConsistentRead");
  const GetItemRequest request = ReadGet(in, Place::kAlone);
  const FoundItem found = OfItem(context.tables.GetItem(request));
  Reply reply;
  if (found.item) reply.texts.emplace_back("Item", ItemText(*found.item));
  capacity.Add(request.table, ReadUnits(found.bytes, consistent));
  capacity.WriteOne(reply.members);
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
