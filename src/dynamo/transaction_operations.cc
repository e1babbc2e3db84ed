#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "dynamo/attribute_json.h"
#include "dynamo/capacity.h"
#include "dynamo/item_requests.h"
#include "dynamo/limits.h"
#include "dynamo/operations.h"
#include "dynamo/table_errors.h"

namespace mayfly::dynamo {
namespace {

constexpr std::size_t kTokenMax = 36;

using Reason = TransactOutcome::Reason;

std::string_view ReasonCode(Reason reason) {
  switch (reason) {
    case Reason::kNone: return "None";
    case Reason::kConditionFailed: return "ConditionalCheckFailed";
    case Reason::kInvalid: return "ValidationError";
  }
  return "None";
}

[[noreturn]] void RefuseTransaction(const std::vector<TransactOutcome::Verdict>& verdicts) {
  std::vector<std::string_view> codes;
  json::array reasons;
  for (const auto& verdict : verdicts) {
    const std::string_view code = ReasonCode(verdict.reason);
    codes.push_back(code);
    json::object reason;
    reason["Code"] = ToJson(code);
    if (verdict.reason == Reason::kConditionFailed && verdict.message.empty()) {
      reason["Message"] = "The conditional request failed";
    } else if (!verdict.message.empty()) {
      reason["Message"] = ToJson(verdict.message);
    }
    if (verdict.item) reason["Item"] = WriteItem(*verdict.item);
    reasons.emplace_back(std::move(reason));
  }
  json::object extra;
  extra["CancellationReasons"] = std::move(reasons);
  throw Refusal(ErrorKind::kTransactionCanceled,
                fmt::format("Transaction cancelled, please refer cancellation reasons for specific "
                            "reasons [{}]",
                            fmt::join(codes, ", ")),
                std::move(extra));
}

TransactWrite ReadAction(const Fields& in) {
  const auto put = in.Structure("Put");
  const auto update = in.Structure("Update");
  const auto remove = in.Structure("Delete");
  const auto check = in.Structure("ConditionCheck");
  if (put.has_value() + update.has_value() + remove.has_value() + check.has_value() != 1) {
    throw Invalid("TransactItems can only contain one of Check, Put, Update or Delete");
  }
  if (put) return {ReadPut(*put, Place::kInTransaction)};
  if (update) return {ReadUpdate(*update, Place::kInTransaction)};
  if (remove) return {ReadDelete(*remove, Place::kInTransaction)};
  return {ReadConditionCheck(*check)};
}

const std::string& TableOf(const TransactWrite& write) {
  return std::visit([](const auto& action) -> const std::string& { return action.table; },
                    write.action);
}

Reply TransactWriteItems(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kTransactWrite);
  const std::string metrics = in.OneOf("ReturnItemCollectionMetrics", {"SIZE", "NONE"});
  in.RequiredList("TransactItems", 1, kTransactionItemsMax);
  const auto token = in.String("ClientRequestToken");
  if (token) in.validation().Length("clientRequestToken", *token, token->size(), 1, kTokenMax);
  in.Check();
  std::vector<TransactWrite> actions;
  for (const Fields& item : in.Structures("TransactItems")) actions.push_back(ReadAction(item));
  auto outcome = context.tables.TransactWriteItems(actions, token.value_or(""));
  if (!outcome && outcome.error().code() == StatusCode::kConflict && token) {
    throw Refusal(ErrorKind::kIdempotentParameterMismatch,
                  "The same ClientRequestToken was used with other actions.");
  }
  const TransactOutcome done = OfItem(std::move(outcome));
  if (!done.written) RefuseTransaction(done.verdicts);
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const std::uint64_t bytes = i < done.bytes.size() ? done.bytes[i] : 0;
    capacity.Add(TableOf(actions[i]), WriteUnits(bytes));
  }
  json::object reply;
  if (metrics == "SIZE") reply["ItemCollectionMetrics"] = json::object();
  capacity.WriteAll(reply);
  return reply;
}

Reply TransactGetItems(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kTransactRead);
  in.RequiredList("TransactItems", 1, kTransactionItemsMax);
  in.Check();
  std::vector<GetItemRequest> requests;
  for (const Fields& item : in.Structures("TransactItems")) {
    const auto get = item.Structure("Get");
    if (!get) item.validation().Missing(item.Where("Get"));
    in.Check();
    requests.push_back(ReadGet(*get, Place::kInTransaction));
  }
  const std::vector<FoundItem> found = OfItem(context.tables.TransactGetItems(requests));
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

constexpr std::array kOperations = std::to_array<Operation>({
    {kTablePrefix, "TransactGetItems",   TransactGetItems,   "Reads up to 100 items of one state."},
    {kTablePrefix, "TransactWriteItems", TransactWriteItems,
     "Does up to 100 writes and checks, or nothing."                                              },
});

}  // namespace

std::span<const Operation> TransactionOperations() { return kOperations; }

}  // namespace mayfly::dynamo
