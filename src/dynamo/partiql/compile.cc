#include "dynamo/partiql/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "dynamo/partiql/key_match.h"
#include "dynamo/partiql/translator.h"
#include "items/compare.h"

namespace mayfly::partiql {
namespace {

constexpr const char* kKeyMissing =
    "Where clause does not contain a mandatory equality on all key attributes";

struct Wrote {
  Item key;
  std::vector<const Term*> rest;
};

// The key that a write names, and its further conditions.
Result<Wrote> KeyOfWrite(const TablePath& path, const std::optional<Term>& where,
                         const Parameters& parameters, const tables::ReadSchema& schema) {
  if (!path.index.empty()) return Status::Invalid("Only SELECT statements can name an index");
  MAYFLY_TRY(KeyMatch match, MatchKeys(where, schema, parameters));
  if (!match.IsWholeKey(schema)) return Status::Invalid(kKeyMissing);
  Wrote wrote;
  wrote.key.emplace(schema.partition, std::move(match.partitions.front()));
  if (schema.sort) wrote.key.emplace(*schema.sort, *std::move(match.sort_equal));
  wrote.rest = std::move(match.rest);
  return wrote;
}

ReturnValues ReturnedBy(const std::optional<Returning>& returning) {
  if (!returning) return ReturnValues::kNone;
  if (returning->all) return returning->old ? ReturnValues::kAllOld : ReturnValues::kAllNew;
  return returning->old ? ReturnValues::kUpdatedOld : ReturnValues::kUpdatedNew;
}

// For a part of an AND or an OR.
std::string InParentheses(const std::vector<const Term*>& rest, const std::string& condition) {
  const bool joint = rest.size() > 1 || rest.front()->kind == Term::Kind::kOr;
  return joint ? "(" + condition + ")" : condition;
}

Result<Plan> CompileInsert(const InsertStatement& insert, const Parameters& parameters,
                           const tables::ReadSchema& schema) {
  if (!insert.into.index.empty()) {
    return Status::Invalid("Only SELECT statements can name an index");
  }
  MAYFLY_TRY(Item item, ItemOf(insert.value, parameters));
  PutItemRequest request = {.table = insert.into.table, .item = std::move(item)};
  Translator translator(parameters, request.arguments);
  request.condition =
      fmt::format("attribute_not_exists({})", translator.NameText(schema.partition));
  return Plan(std::move(request));
}

Result<Plan> CompileUpdate(const UpdateStatement& update, const Parameters& parameters,
                           const tables::ReadSchema& schema) {
  MAYFLY_TRY(Wrote wrote, KeyOfWrite(update.table, update.where, parameters, schema));
  UpdateItemRequest request = {.table = update.table.table,
                               .key = std::move(wrote.key),
                               .return_values = ReturnedBy(update.returning)};
  Translator translator(parameters, request.arguments);
  MAYFLY_TRY(request.update, translator.Update(update.assignments));
  MAYFLY_TRY(const std::string rest, translator.All(wrote.rest));
  request.condition = fmt::format("attribute_exists({})", translator.NameText(schema.partition));
  if (!wrote.rest.empty()) request.condition += " AND " + InParentheses(wrote.rest, rest);
  return Plan(std::move(request));
}

// DynamoDB deletes nothing where there is nothing, whatever the further conditions are.
Result<Plan> CompileDelete(const DeleteStatement& remove, const Parameters& parameters,
                           const tables::ReadSchema& schema) {
  MAYFLY_TRY(Wrote wrote, KeyOfWrite(remove.from, remove.where, parameters, schema));
  DeleteItemRequest request = {.table = remove.from.table,
                               .key = std::move(wrote.key),
                               .return_values = ReturnedBy(remove.returning)};
  if (wrote.rest.empty()) return Plan(std::move(request));
  Translator translator(parameters, request.arguments);
  MAYFLY_TRY(const std::string rest, translator.All(wrote.rest));
  request.condition =
      fmt::format("attribute_not_exists({}) OR {}", translator.NameText(schema.partition),
                  InParentheses(wrote.rest, rest));
  return Plan(std::move(request));
}

Result<Plan> CompileExists(const ExistsStatement& exists, const Parameters& parameters,
                           const tables::ReadSchema& schema) {
  const SelectStatement& select = exists.select;
  MAYFLY_TRY(KeyMatch match, MatchKeys(select.where, schema, parameters));
  if (!select.from.index.empty() || !match.IsWholeKey(schema) || match.rest.empty()) {
    return Status::Invalid("EXISTS() must contain a single item read with additional condition");
  }
  ConditionCheck check = {.table = select.from.table, .key = {}, .condition = {}};
  check.key.emplace(schema.partition, std::move(match.partitions.front()));
  if (schema.sort) check.key.emplace(*schema.sort, *std::move(match.sort_equal));
  Translator translator(parameters, check.arguments);
  MAYFLY_TRY(const std::string rest, translator.All(match.rest));
  check.condition =
      fmt::format("attribute_exists({}) AND {}", translator.NameText(schema.partition),
                  InParentheses(match.rest, rest));
  return Plan(std::move(check));
}

void CollectAttributes(const Term& term, std::set<std::string>& names) {
  if (term.kind == Term::Kind::kPath) names.insert(std::get<std::string>(term.path.front()));
  for (const Term& child : term.children) CollectAttributes(child, names);
}

// A query of an index does not fetch what only a filter wants.
Status CheckFiltersOnIndex(const SelectStatement& select, const KeyMatch& match,
                           const tables::ReadSchema& schema) {
  if (!schema.held || match.partitions.empty()) return {};
  std::set<std::string> names;
  for (const Term* const term : match.rest) CollectAttributes(*term, names);
  std::vector<std::string> missing;
  std::set_difference(names.begin(), names.end(), schema.held->begin(), schema.held->end(),
                      std::back_inserter(missing));
  if (missing.empty()) return {};
  return Status::Invalid(
      fmt::format("One or more parameter values were invalid: Secondary index {} does not project "
                  "one or more filter attributes: [{}]",
                  select.from.index, fmt::join(missing, ", ")));
}

// Sorts the partitions as asked. Returns whether sort keys ascend.
Result<bool> ReadOrder(const SelectStatement& select, const tables::ReadSchema& schema,
                       std::vector<AttributeValue>& partitions) {
  if (select.order.empty()) return true;
  if (!select.where) {
    return Status::Invalid("Must have WHERE clause in the statement when using ORDER BY clause.");
  }
  if (partitions.empty()) {
    return Status::Invalid(
        "Must have at least one non-optional hash key condition in WHERE clause when using ORDER "
        "BY clause.");
  }
  bool forward = true;
  bool by_partition = false;
  for (const SelectStatement::Order& order : select.order) {
    if (order.attribute == schema.partition) {
      by_partition = true;
      std::sort(partitions.begin(), partitions.end(),
                [](const AttributeValue& a, const AttributeValue& b) {
                  return a.type() == b.type() ? items::Compare(a, b) < 0 : a.type() < b.type();
                });
      if (order.descending) std::reverse(partitions.begin(), partitions.end());
    } else if (schema.sort && order.attribute == *schema.sort) {
      forward = !order.descending;
    } else {
      return Status::Invalid(
          fmt::format("Variable reference {} in ORDER BY clause must be part of the primary key",
                      order.attribute));
    }
  }
  if (partitions.size() > 1 && !by_partition) {
    return Status::Invalid(
        "ORDER BY must name the hash key first where the WHERE clause has several values of it");
  }
  return forward;
}

// The attributes that are read: nested parts are chosen behind the tables, which would move chosen
// elements of lists together.
std::string ProjectionText(const std::vector<Path>& projection, Translator& translator) {
  std::vector<std::string> names;
  for (const Path& path : projection) {
    std::string name = translator.NameText(std::get<std::string>(path.front()));
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// The read of the one item that the WHERE names, if it says nothing else.
Result<std::optional<GetItemRequest>> CompileGet(const SelectStatement& select,
                                                 const KeyMatch& match,
                                                 const Parameters& parameters,
                                                 const tables::ReadSchema& schema) {
  if (schema.is_index || !match.IsWholeKey(schema) || !match.rest.empty()) {
    return std::optional<GetItemRequest>();
  }
  GetItemRequest get = {.table = select.from.table, .key = {}};
  get.key.emplace(schema.partition, match.partitions.front());
  if (schema.sort) get.key.emplace(*schema.sort, *match.sort_equal);
  Translator translator(parameters, get.arguments);
  get.projection = ProjectionText(select.projection, translator);
  return std::optional(std::move(get));
}

Result<Plan> CompileSelect(const SelectStatement& select, const Parameters& parameters,
                           const tables::ReadSchema& schema) {
  MAYFLY_TRY(KeyMatch match, MatchKeys(select.where, schema, parameters));
  MAYFLY_RETURN_IF_ERROR(CheckFiltersOnIndex(select, match, schema));
  MAYFLY_TRY(const bool forward, ReadOrder(select, schema, match.partitions));
  SelectPlan plan = {.projection = select.projection};
  MAYFLY_TRY(plan.get, CompileGet(select, match, parameters, schema));
  if (match.partitions.empty()) {
    ScanRequest scan = {.table = select.from.table, .index = select.from.index};
    Translator translator(parameters, scan.arguments);
    if (select.where) {
      MAYFLY_TRY(scan.filter, translator.Condition(*select.where));
    }
    scan.projection = ProjectionText(select.projection, translator);
    plan.scan = std::move(scan);
    return Plan(std::move(plan));
  }
  QueryRequest query = {.table = select.from.table,
                        .index = select.from.index,
                        .key_condition = {},
                        .forward = forward,
                        .filters_keys = true};
  Translator translator(parameters, query.arguments);
  constexpr const char* kPartition = ":partition";
  query.key_condition = fmt::format("{} = {}", translator.NameText(schema.partition), kPartition);
  if (match.sort != nullptr) {
    MAYFLY_TRY(const std::string sort, translator.Condition(*match.sort));
    query.key_condition += " AND " + sort;
  }
  MAYFLY_TRY(query.filter, translator.All(match.rest));
  query.projection = ProjectionText(select.projection, translator);
  for (const AttributeValue& partition : match.partitions) {
    plan.queries.push_back(query);
    plan.queries.back().arguments.values.emplace(kPartition, partition);
  }
  return Plan(std::move(plan));
}

struct Compiler {
  const Parameters& parameters;
  const tables::ReadSchema& schema;

  Result<Plan> operator()(const SelectStatement& one) const {
    return CompileSelect(one, parameters, schema);
  }
  Result<Plan> operator()(const InsertStatement& one) const {
    return CompileInsert(one, parameters, schema);
  }
  Result<Plan> operator()(const UpdateStatement& one) const {
    return CompileUpdate(one, parameters, schema);
  }
  Result<Plan> operator()(const DeleteStatement& one) const {
    return CompileDelete(one, parameters, schema);
  }
  Result<Plan> operator()(const ExistsStatement& one) const {
    return CompileExists(one, parameters, schema);
  }
};

const std::optional<Term>& WhereOf(const Statement& statement) {
  static const std::optional<Term> kNone;
  if (const auto* select = std::get_if<SelectStatement>(&statement.what)) return select->where;
  if (const auto* update = std::get_if<UpdateStatement>(&statement.what)) return update->where;
  if (const auto* remove = std::get_if<DeleteStatement>(&statement.what)) return remove->where;
  if (const auto* exists = std::get_if<ExistsStatement>(&statement.what)) {
    return exists->select.where;
  }
  return kNone;
}

Status CheckReturning(const DeleteStatement& remove) {
  if (!remove.returning || (remove.returning->all && remove.returning->old)) return {};
  return Status::Invalid(fmt::format(
      "Invalid returning clause: RETURNING {} {} *. Only RETURNING ALL OLD * is "
      "allowed in DELETE statements.",
      remove.returning->all ? "ALL" : "MODIFIED", remove.returning->old ? "OLD" : "NEW"));
}

std::string NameOf(const Path& path) {
  std::string name;
  for (const PathStep& step : path) {
    if (const auto* const text = std::get_if<std::string>(&step)) {
      name = *text;
    } else {
      name += fmt::format("[{}]", std::get<std::size_t>(step));
    }
  }
  return name;
}

const AttributeValue* Follow(const Item& item, const Path& path) {
  const auto found = item.find(std::get<std::string>(path.front()));
  const AttributeValue* value = found == item.end() ? nullptr : &found->second;
  for (auto step = path.begin() + 1; value != nullptr && step != path.end(); ++step) {
    const AttributeValue* next = nullptr;
    if (const auto* const name = std::get_if<std::string>(&*step)) {
      if (const auto* const map = value->map()) {
        const auto member = map->find(*name);
        if (member != map->end()) next = &member->second;
      }
    } else if (const auto* const list = value->list()) {
      const std::size_t index = std::get<std::size_t>(*step);
      if (index < list->size()) next = &(*list)[index];
    }
    value = next;
  }
  return value;
}

}  // namespace

const TablePath& TableOf(const Statement& statement) {
  if (const auto* select = std::get_if<SelectStatement>(&statement.what)) return select->from;
  if (const auto* insert = std::get_if<InsertStatement>(&statement.what)) return insert->into;
  if (const auto* update = std::get_if<UpdateStatement>(&statement.what)) return update->table;
  if (const auto* remove = std::get_if<DeleteStatement>(&statement.what)) return remove->from;
  return std::get<ExistsStatement>(statement.what).select.from;
}

bool IsRead(const Statement& statement) {
  return std::holds_alternative<SelectStatement>(statement.what);
}

bool HasReturning(const Statement& statement) {
  if (const auto* update = std::get_if<UpdateStatement>(&statement.what)) {
    return update->returning.has_value();
  }
  const auto* const remove = std::get_if<DeleteStatement>(&statement.what);
  return remove != nullptr && remove->returning.has_value();
}

Status CheckStatement(const Statement& statement, const Parameters& parameters) {
  if (statement.parameters != parameters.size()) {
    return Status::Invalid("Number of parameters in request and statement don't match.");
  }
  if (const auto* const remove = std::get_if<DeleteStatement>(&statement.what)) {
    MAYFLY_RETURN_IF_ERROR(CheckReturning(*remove));
  }
  ExpressionArguments arguments;
  Translator translator(parameters, arguments);
  const std::optional<Term>& where = WhereOf(statement);
  if (where) MAYFLY_RETURN_IF_ERROR(translator.Condition(*where).status());
  if (const auto* const update = std::get_if<UpdateStatement>(&statement.what)) {
    MAYFLY_RETURN_IF_ERROR(translator.Update(update->assignments).status());
    if (!where) return Status::Invalid(kKeyMissing);
  }
  if (const auto* const insert = std::get_if<InsertStatement>(&statement.what)) {
    return ItemOf(insert->value, parameters).status();
  }
  return {};
}

Result<Plan> Compile(const Statement& statement, const Parameters& parameters,
                     const tables::ReadSchema& schema) {
  return std::visit(Compiler{parameters, schema}, statement.what);
}

Item Selected(const std::vector<Path>& projection, Item item) {
  if (projection.empty()) return item;
  Item selected;
  for (const Path& path : projection) {
    const AttributeValue* const value = Follow(item, path);
    if (value != nullptr) selected.insert_or_assign(NameOf(path), *value);
  }
  return selected;
}

Status WithoutExpression(const Status& status) {
  constexpr std::string_view kBegin = "Invalid ";
  constexpr std::string_view kEnd = "Expression: ";
  const std::string_view message = status.message();
  const std::size_t end = message.find(kEnd);
  if (status.code() != StatusCode::kInvalid || !message.starts_with(kBegin) ||
      end == std::string_view::npos) {
    return status;
  }
  return Status::Invalid(std::string(message.substr(end + kEnd.size())));
}

}  // namespace mayfly::partiql
