// transaction_operations.cc - TransactWriteItems and TransactGetItems.
#include <array>

#include "dynamo/json/attribute_json.h"
#include "dynamo/json/limits.h"
#include "dynamo/operations/operations.h"
#include "dynamo/requests/canceled.h"
#include "dynamo/requests/capacity.h"
#include "dynamo/requests/item_requests.h"
#include "dynamo/shapes/request_shapes.h"
#include "dynamo/tables/table_errors.h"

namespace mayfly::dynamo {
namespace {

Outcome<TransactWrite> ReadAction(const Fields& in) {
  const auto put = in.Structure("Put");
  const auto update = in.Structure("Update");
  const auto remove = in.Structure("Delete");
  const auto check = in.Structure("ConditionCheck");
  if (put.has_value() + update.has_value() + remove.has_value() + check.has_value() != 1) {
    return Invalid("TransactItems can only contain one of Check, Put, Update or Delete");
  }
  const auto as_action = [](auto read) -> Outcome<TransactWrite> {
    MAYFLY_TRY(auto request, std::move(read));
    return TransactWrite{std::move(request)};
  };
  if (put) return as_action(ReadPut(*put, Place::kInTransaction));
  if (update) return as_action(ReadUpdate(*update, Place::kInTransaction));
  if (remove) return as_action(ReadDelete(*remove, Place::kInTransaction));
  return as_action(ReadConditionCheck(*check));
}

const std::string& TableOf(const TransactWrite& write) {
  return std::visit([](const auto& action) -> const std::string& { return action.table; },
                    write.action);
}

Outcome<Reply> TransactWriteItems(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kTransactWrite);
  const std::string metrics = in.Text("ReturnItemCollectionMetrics");
  const std::vector<Fields> listed = in.Structures("TransactItems");
  const auto token = in.String("ClientRequestToken");
  std::vector<TransactWrite> actions;
  for (const Fields& item : listed) {
    MAYFLY_TRY(TransactWrite action, ReadAction(item));
    actions.push_back(std::move(action));
  }
  auto outcome = context.tables.TransactWriteItems(actions, token.value_or(""));
  if (!outcome && outcome.error().code() == StatusCode::kConflict && token) {
    return Refusal(ErrorKind::kIdempotentParameterMismatch,
                   "The same ClientRequestToken was used with other actions.");
  }
  MAYFLY_TRY(const TransactOutcome done, OfItem(std::move(outcome)));
  if (!done.written) return Canceled(done.verdicts);
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const std::uint64_t bytes = i < done.bytes.size() ? done.bytes[i] : 0;
    capacity.Add(TableOf(actions[i]), WriteUnits(bytes));
  }
  json::object reply;
  if (metrics == "SIZE") reply["ItemCollectionMetrics"] = json::object();
  capacity.WriteAll(reply);
  return reply;
}

Outcome<Reply> TransactGetItems(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kTransactRead);
  const std::vector<Fields> listed = in.Structures("TransactItems");
  std::vector<GetItemRequest> requests;
  for (const Fields& item : listed) {
    const auto get = item.Structure("Get");
    MAYFLY_TRY(GetItemRequest request, ReadGet(*get, Place::kInTransaction));
    requests.push_back(std::move(request));
  }
  MAYFLY_TRY(const std::vector<FoundItem> found, OfItem(context.tables.TransactGetItems(requests)));
  json::array responses;
  for (std::size_t i = 0; i < found.size(); ++i) {
    json::object response;
    if (found[i].item) response["Item"] = WriteItem(*found[i].item);
    responses.emplace_back(std::move(response));
    capacity.Add(requests[i].table, ReadUnits(found[i].bytes, true));
  }
  json::object reply;
  reply["Responses"] = std::move(responses);
  capacity.WriteAll(reply);
  return reply;
}

constexpr std::array kTransactionOperations = std::to_array<Operation>({
    {kTablePrefix, "TransactGetItems", &kTransactGetItemsShape, TransactGetItems,
     "Reads up to 100 items of one state.", kReads},
    {kTablePrefix, "TransactWriteItems", &kTransactWriteItemsShape, TransactWriteItems,
     "Does up to 100 writes and checks, or nothing.", kWrites},
});

}  // namespace

std::span<const Operation> TransactionOperations() { return kTransactionOperations; }

}  // namespace mayfly::dynamo
