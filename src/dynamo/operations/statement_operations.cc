// statement_operations.cc - ExecuteStatement and BatchExecuteStatement.
#include <array>
#include <utility>

#include "dynamo/json/attribute_json.h"
#include "dynamo/json/item_text.h"
#include "dynamo/operations/operations.h"
#include "dynamo/operations/statements.h"
#include "dynamo/partiql/limits.h"
#include "dynamo/partiql/parser.h"
#include "dynamo/requests/canceled.h"
#include "dynamo/shapes/request_shapes.h"
#include "items/item_size.h"

namespace mayfly::dynamo {
namespace {

// Writes, and returns what its request asks for.
struct Writer {
  tables::ProtocolTables& tables;

  Result<WriteOutcome> operator()(const PutItemRequest& request) const {
    return tables.PutItem(request);
  }
  Result<WriteOutcome> operator()(const UpdateItemRequest& request) const {
    return tables.UpdateItem(request);
  }
  Result<WriteOutcome> operator()(const DeleteItemRequest& request) const {
    return tables.DeleteItem(request);
  }
  Result<WriteOutcome> operator()(const ConditionCheck&) const {
    return Status::Invalid("EXISTS() can only be used in ExecuteTransaction");
  }
  Result<WriteOutcome> operator()(const partiql::SelectPlan&) const {
    return Status::Internal("a SELECT was run as a write");
  }
};

struct TableOfPlan {
  std::string operator()(const partiql::SelectPlan&) const { return {}; }
  template <typename Request>
  std::string operator()(const Request& request) const {
    return request.table;
  }
};

struct SetOnFailure {
  OnFailure on_failure;
  void operator()(partiql::SelectPlan&) const {}
  template <typename Request>
  void operator()(Request& request) const {
    request.on_failure = on_failure;
  }
};

Outcome<Reply> ExecuteStatement(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kRead);
  MAYFLY_TRY(const AskedStatement asked, ReadAsked(in));
  MAYFLY_TRY(const partiql::Statement statement, ParseAsked(asked));
  MAYFLY_TRY(PlannedStatement planned, PlanAsked(context, statement, asked));
  if (partiql::IsRead(statement)) {
    return RunSelect(context, in, asked, std::move(planned), capacity);
  }
  MAYFLY_TRY(const auto returned, RunWrite(context, std::move(planned.plan), capacity));
  Reply reply;
  reply.texts.emplace_back("Items", returned ? "[" + ItemText(*returned) + "]" : "[]");
  capacity.WriteOne(reply.members);
  return reply;
}

std::string_view CodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kValidation: return "ValidationError";
    case ErrorKind::kResourceNotFound: return "ResourceNotFound";
    case ErrorKind::kConditionalCheckFailed: return "ConditionalCheckFailed";
    case ErrorKind::kDuplicateItem: return "DuplicateItem";
    case ErrorKind::kTransactionConflict: return "TransactionConflict";
    case ErrorKind::kAccessDenied: return "AccessDenied";
    default: return "InternalServerError";
  }
}

// One member of a batch; parsed, unless it cannot be.
struct Member {
  AskedStatement asked;
  Outcome<partiql::Statement> statement;
};

Outcome<std::optional<Item>> ReadOne(const Context& context, const AskedStatement& asked,
                                     const partiql::SelectPlan& plan, Capacity& capacity) {
  if (!plan.get) {
    return Invalid(
        "Select statements within BatchExecuteStatement must specify the primary key in the where "
        "clause.");
  }
  MAYFLY_TRY(FoundItem found, OfStatement(context.tables.GetItem(*plan.get)));
  capacity.Add(plan.get->table, ReadUnits(found.bytes, asked.consistent));
  if (!found.item) return std::optional<Item>();
  return std::optional(partiql::Selected(plan.projection, *std::move(found.item)));
}

Outcome<std::optional<Item>> RunOne(const Context& context, const Member& member,
                                    Capacity& capacity) {
  if (!member.statement) return member.statement.error();
  MAYFLY_TRY(PlannedStatement planned, PlanAsked(context, *member.statement, member.asked));
  if (const auto* const select = std::get_if<partiql::SelectPlan>(&planned.plan)) {
    return ReadOne(context, member.asked, *select, capacity);
  }
  return RunWrite(context, std::move(planned.plan), capacity);
}

json::object DescribeError(const Refusal& refusal) {
  json::object error;
  error["Code"] = ToJson(CodeOf(refusal.kind()));
  error["Message"] = ToJson(refusal.message());
  if (const json::value* const item = refusal.extra().if_contains("Item")) error["Item"] = *item;
  return error;
}

json::object RunMember(const Context& context, const Member& member, Capacity& capacity) {
  json::object response;
  const Outcome<std::optional<Item>> outcome = RunOne(context, member, capacity);
  if (!outcome) {
    response["Error"] = DescribeError(outcome.error());
  } else if (*outcome) {
    response["Item"] = WriteItem(**outcome);
  }
  if (member.statement) {
    response["TableName"] = ToJson(partiql::TableOf(*member.statement).table);
  }
  return response;
}

// Every statement succeeds or fails by itself.
Outcome<Reply> BatchExecuteStatement(const Context& context, const Fields& in) {
  std::vector<Member> members;
  std::size_t reads = 0;
  std::size_t writes = 0;
  for (const Fields& one : in.Structures("Statements")) {
    Outcome<AskedStatement> asked = ReadAsked(one);
    if (!asked) {
      members.push_back({{}, std::move(asked).error()});
      continue;
    }
    Outcome<partiql::Statement> statement = ParseAsked(*asked);
    if (statement) ++(partiql::IsRead(*statement) ? reads : writes);
    members.push_back({*std::move(asked), std::move(statement)});
  }
  if (reads > 0 && writes > 0) {
    return Invalid("A batch of statements cannot have both reads and writes");
  }
  Capacity capacity(in, writes > 0 ? Capacity::Use::kWrite : Capacity::Use::kRead);
  json::array responses;
  for (const Member& member : members) {
    responses.emplace_back(RunMember(context, member, capacity));
  }
  Reply reply;
  reply.only_read = writes == 0;
  reply.members["Responses"] = std::move(responses);
  capacity.WriteAll(reply.members);
  return reply;
}

constexpr std::array kStatementOperations = std::to_array<Operation>({
    {kTablePrefix, "ExecuteStatement", &kExecuteStatementShape, ExecuteStatement,
     "Runs a statement of PartiQL.", kWrites},
    {kTablePrefix, "BatchExecuteStatement", &kBatchExecuteStatementShape, BatchExecuteStatement,
     "Runs up to 25 statements, each by itself.", kWrites},
    {kTablePrefix, "ExecuteTransaction", &kExecuteTransactionShape, ExecuteTransaction,
     "Runs up to 100 statements, all or none.", kWrites},
});

}  // namespace

Outcome<AskedStatement> ReadAsked(const Fields& in) {
  AskedStatement asked;
  asked.text = in.Text("Statement");
  asked.consistent = in.Boolean("ConsistentRead");
  if (in.Text("ReturnValuesOnConditionCheckFailure") == "ALL_OLD") {
    asked.on_failure = OnFailure::kAllOld;
  }
  for (const json::value& parameter : in.ListOrNone("Parameters")) {
    MAYFLY_TRY(AttributeValue value, ReadValue(parameter));
    if (items::DepthOf(value) > partiql::kValueLevelsMax) {
      return Invalid(
          "Nesting Levels have exceeded supported limits: Attributes in the item have nested "
          "levels beyond supported limit");
    }
    asked.parameters.push_back(std::move(value));
  }
  return asked;
}

Outcome<partiql::Statement> ParseAsked(const AskedStatement& asked) {
  MAYFLY_TRY(partiql::Statement statement, partiql::ParseStatement(asked.text));
  MAYFLY_REQUIRE(partiql::CheckStatement(statement, asked.parameters));
  return statement;
}

Outcome<PlannedStatement> PlanAsked(const Context& context, const partiql::Statement& statement,
                                    const AskedStatement& asked) {
  const partiql::TablePath& path = partiql::TableOf(statement);
  PlannedStatement planned;
  MAYFLY_TRY(planned.schema,
             OfItem(context.tables.FindReadSchema(TableOfArn(path.table), path.index)));
  if (asked.consistent && planned.schema.is_index && !planned.schema.is_local) {
    return Invalid("Strongly consistent read is not supported on Global Secondary Indexes");
  }
  MAYFLY_TRY(planned.plan, partiql::Compile(statement, asked.parameters, planned.schema));
  std::visit(SetOnFailure{asked.on_failure}, planned.plan);
  return planned;
}

Outcome<std::optional<Item>> RunWrite(const Context& context, partiql::Plan plan,
                                      Capacity& capacity) {
  MAYFLY_TRY(WriteOutcome outcome, OfStatement(std::visit(Writer{context.tables}, plan)));
  if (!outcome.written) {
    json::object extra;
    if (outcome.attributes) extra["Item"] = WriteItem(*outcome.attributes);
    if (std::holds_alternative<PutItemRequest>(plan)) {
      return Refusal(ErrorKind::kDuplicateItem, kDuplicateItemMessage, std::move(extra));
    }
    return Refusal(ErrorKind::kConditionalCheckFailed, "The conditional request failed",
                   std::move(extra));
  }
  capacity.Add(std::visit(TableOfPlan(), plan), WriteUnits(outcome.bytes));
  if (outcome.attributes && outcome.attributes->empty()) outcome.attributes.reset();
  return std::move(outcome.attributes);
}

std::span<const Operation> StatementOperations() { return kStatementOperations; }

}  // namespace mayfly::dynamo
