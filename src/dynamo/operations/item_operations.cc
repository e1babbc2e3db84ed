// item_operations.cc - PutItem, UpdateItem, DeleteItem and GetItem.
#include <array>

#include "dynamo/json/attribute_json.h"
#include "dynamo/json/item_text.h"
#include "dynamo/operations/operations.h"
#include "dynamo/requests/capacity.h"
#include "dynamo/requests/item_requests.h"
#include "dynamo/shapes/request_shapes.h"
#include "dynamo/tables/table_errors.h"

namespace mayfly::dynamo {
namespace {

template <auto kRead>
Outcome<AskedWrite> ReadWrite(const Fields& in) {
  Capacity capacity(in, Capacity::Use::kWrite);
  MAYFLY_TRY(auto request, kRead(in, Place::kAlone));
  return AskedWrite{std::move(request), std::move(capacity)};
}

Outcome<Reply> GetItem(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kRead);
  const bool consistent = in.Boolean("ConsistentRead");
  MAYFLY_TRY(const GetItemRequest request, ReadGet(in, Place::kAlone));
  MAYFLY_TRY(const FoundItem found, OfItem(context.tables.GetItem(request)));
  Reply reply;
  if (found.item) reply.texts.emplace_back("Item", ItemText(*found.item));
  capacity.Add(request.table, ReadUnits(found.bytes, consistent));
  capacity.WriteOne(reply.members);
  return reply;
}

constexpr Operation WriteOf(std::string_view name, const Shape* shape,
                            Outcome<AskedWrite> (*read)(const Fields& in),
                            std::string_view summary) {
  return {kTablePrefix, name, shape, nullptr, summary, kWrites, read};
}

constexpr std::array kItemOperations = {
    WriteOf("PutItem", &kPutItemShape, ReadWrite<ReadPut>, "Writes an item, whole."),
    Operation{kTablePrefix, "GetItem", &kGetItemShape, GetItem, "Reads an item.", kReads},
    WriteOf("UpdateItem", &kUpdateItemShape, ReadWrite<ReadUpdate>,
            "Changes some attributes of an item, or makes it."),
    WriteOf("DeleteItem", &kDeleteItemShape, ReadWrite<ReadDelete>, "Removes an item."),
};

}  // namespace

Outcome<Reply> ReplyTo(const tables::ItemWrite& write, Capacity& capacity,
                       Result<WriteOutcome> result) {
  MAYFLY_TRY(const WriteOutcome outcome, OfItem(std::move(result)));
  if (!outcome.written) {
    json::object extra;
    if (outcome.attributes) extra["Item"] = WriteItem(*outcome.attributes);
    return Refusal(ErrorKind::kConditionalCheckFailed, "The conditional request failed",
                   std::move(extra));
  }
  Reply reply;
  if (outcome.attributes && !outcome.attributes->empty()) {
    reply.texts.emplace_back("Attributes", ItemText(*outcome.attributes));
  }
  capacity.Add(std::visit([](const auto& one) { return one.table; }, write),
               WriteUnits(outcome.bytes));
  capacity.WriteOne(reply.members);
  return reply;
}

std::span<const Operation> ItemOperations() { return kItemOperations; }

}  // namespace mayfly::dynamo
