// statement_transactions.cc - ExecuteTransaction.
#include <fmt/format.h>

#include <utility>

#include "dynamo/json/attribute_json.h"
#include "dynamo/operations/statements.h"
#include "dynamo/requests/canceled.h"

namespace mayfly::dynamo {
namespace {

// A statement's error, with its number. Errors about anything but the statement stay as they are.
Refusal InStatement(std::size_t number, Refusal refusal) {
  if (refusal.kind() != ErrorKind::kValidation) return refusal;
  return Invalid(
      fmt::format("Validation failed in TransactStatements[{}]: {}", number, refusal.message()));
}

// What a transaction does not take, besides what no statement may be.
Outcome<void> CheckPlace(const partiql::Statement& statement) {
  if (partiql::HasReturning(statement)) {
    return Invalid("RETURNING clause is not supported in ExecuteTransaction.");
  }
  if (partiql::IsRead(statement) && !partiql::TableOf(statement).index.empty()) {
    return Invalid("Reads on indices are not supported within transactions.");
  }
  return {};
}

Outcome<PlannedStatement> PlanOne(const Context& context, const AskedStatement& asked) {
  MAYFLY_TRY(const partiql::Statement statement, ParseAsked(asked));
  MAYFLY_REQUIRE(CheckPlace(statement));
  MAYFLY_TRY(PlannedStatement planned, PlanAsked(context, statement, asked));
  const auto* const select = std::get_if<partiql::SelectPlan>(&planned.plan);
  if (select != nullptr && !select->get) {
    return Invalid(
        "Select statements within ExecuteTransaction must specify the primary key in the where "
        "clause.");
  }
  return planned;
}

Outcome<Reply> ReadAll(const Context& context, const Fields& in,
                       const std::vector<partiql::SelectPlan>& plans) {
  Capacity capacity(in, Capacity::Use::kTransactRead);
  std::vector<GetItemRequest> requests;
  for (const partiql::SelectPlan& plan : plans) requests.push_back(*plan.get);
  MAYFLY_TRY(std::vector<FoundItem> found, OfStatement(context.tables.TransactGetItems(requests)));
  json::array responses;
  for (std::size_t i = 0; i < found.size(); ++i) {
    json::object response;
    if (found[i].item) {
      response["Item"] =
          WriteItem(partiql::Selected(plans[i].projection, *std::move(found[i].item)));
    }
    responses.emplace_back(std::move(response));
    capacity.Add(requests[i].table, ReadUnits(found[i].bytes, true));
  }
  Reply reply;
  reply.only_read = true;
  reply.members["Responses"] = std::move(responses);
  capacity.WriteAll(reply.members);
  return reply;
}

struct AddWrite {
  std::vector<TransactWrite>& writes;
  void operator()(partiql::SelectPlan&) const {}
  template <typename Request>
  void operator()(Request& request) const {
    writes.push_back({std::move(request)});
  }
};

Outcome<Reply> WriteAll(const Context& context, const Fields& in,
                        const std::vector<TransactWrite>& writes) {
  Capacity capacity(in, Capacity::Use::kTransactWrite);
  const auto token = in.String("ClientRequestToken");
  auto outcome = context.tables.TransactWriteItems(writes, token.value_or(""));
  if (!outcome && outcome.error().code() == StatusCode::kConflict && token) {
    return Refusal(ErrorKind::kIdempotentParameterMismatch,
                   "The same ClientRequestToken was used with other statements.");
  }
  MAYFLY_TRY(const TransactOutcome done, OfStatement(std::move(outcome)));
  if (!done.written) {
    std::vector<bool> inserts;
    for (const TransactWrite& write : writes) {
      inserts.push_back(std::holds_alternative<PutItemRequest>(write.action));
    }
    return Canceled(done.verdicts, inserts);
  }
  json::array responses;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const std::uint64_t bytes = i < done.bytes.size() ? done.bytes[i] : 0;
    capacity.Add(std::visit([](const auto& one) { return one.table; }, writes[i].action),
                 WriteUnits(bytes));
    responses.emplace_back(json::object());
  }
  Reply reply;
  reply.members["Responses"] = std::move(responses);
  capacity.WriteAll(reply.members);
  return reply;
}

}  // namespace

Outcome<Reply> ExecuteTransaction(const Context& context, const Fields& in) {
  std::vector<AskedStatement> asked;
  for (const Fields& one : in.Structures("TransactStatements")) {
    MAYFLY_TRY(AskedStatement read, ReadAsked(one));
    asked.push_back(std::move(read));
  }
  std::vector<partiql::SelectPlan> reads;
  std::vector<TransactWrite> writes;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    Outcome<PlannedStatement> planned = PlanOne(context, asked[i]);
    if (!planned) return InStatement(i, std::move(planned).error());
    if (auto* const select = std::get_if<partiql::SelectPlan>(&planned->plan)) {
      reads.push_back(std::move(*select));
    } else {
      std::visit(AddWrite{writes}, planned->plan);
    }
  }
  if (!reads.empty() && !writes.empty()) {
    return Invalid("A transaction of statements cannot have both reads and writes");
  }
  return reads.empty() ? WriteAll(context, in, writes) : ReadAll(context, in, reads);
}

}  // namespace mayfly::dynamo
