// query.cc - Query.
#include <fmt/format.h>

#include "expressions/key_condition.h"
#include "items/item_key.h"
#include "tables/queries/page_plan.h"
#include "tables/queries/query_calls.h"

namespace mayfly::tables {
namespace {

using expressions::KeyCondition;
using expressions::SortCondition;

// The keys of one partition whose sort key fulfils the condition. A key may go on behind it: an
// entry ends with the key of its item.
PageRange RangeOf(const KeyCondition& condition) {
  const std::string all = items::PartitionPrefix(condition.partition);
  if (!condition.sort) return {.begin = all, .end = items::PrefixEnd(all)};
  const SortCondition& sort = *condition.sort;
  const auto at = [&](const AttributeValue& value) {
    std::string key = all;
    items::AppendKeyValue(value, key);
    return key;
  };
  switch (sort.kind) {
    case SortCondition::Kind::kEqual:
      return {.begin = at(sort.value), .end = items::PrefixEnd(at(sort.value))};
    case SortCondition::Kind::kLess: return {.begin = all, .end = at(sort.value)};
    case SortCondition::Kind::kLessOrEqual:
      return {.begin = all, .end = items::PrefixEnd(at(sort.value))};
    case SortCondition::Kind::kGreater:
      return {.begin = items::PrefixEnd(at(sort.value)), .end = items::PrefixEnd(all)};
    case SortCondition::Kind::kGreaterOrEqual:
      return {.begin = at(sort.value), .end = items::PrefixEnd(all)};
    case SortCondition::Kind::kBetween:
      return {.begin = at(sort.value), .end = items::PrefixEnd(at(sort.upper))};
    case SortCondition::Kind::kBeginsWith: {
      std::string beginning = all;
      items::AppendKeyPrefix(sort.value, beginning);
      return {.begin = beginning, .end = items::PrefixEnd(beginning)};
    }
  }
  return {};
}

Status CheckFilterNamesNoKey(const PagePlan& plan) {
  if (!plan.filter) return {};
  const std::set<std::string> names = plan.filter->Attributes();
  const auto check = [&](const KeyAttribute& key) -> Status {
    if (!names.contains(key.name)) return {};
    return Status::Invalid(
        fmt::format("Filter Expression can only contain non-primary key attributes: Primary key "
                    "attribute: {}",
                    key.name));
  };
  MAYFLY_RETURN_IF_ERROR(check(plan.partition()));
  return plan.sort() ? check(*plan.sort()) : Status();
}

Status StartBehind(const Item& last_key, const KeyCondition& condition, PagePlan& plan) {
  MAYFLY_TRY(const std::string position,
             PositionOf(plan, last_key, "The provided starting key is invalid"));
  if (!position.starts_with(items::PartitionPrefix(condition.partition))) {
    return Status::Invalid(
        "The provided starting key is outside query boundaries based on provided conditions");
  }
  if (!plan.range.Holds(position)) {
    return Status::Invalid("The provided starting key does not match the range key predicate");
  }
  GoOnBehind(position, plan);
  return {};
}

}  // namespace

Result<ItemPage> Query(const ItemContext& context, const QueryRequest& request, PageSink& sink) {
  const PageExpressions given = {.filter = request.filter,
                                 .projection = request.projection,
                                 .all_attributes = request.all_attributes,
                                 .any_other = true};
  auto found = context.catalog.Use(request.table);
  if (!found) {
    MAYFLY_RETURN_IF_ERROR(CheckExpressions(request.key_condition, given, request.arguments));
  }
  MAYFLY_TRY(const TableUse table, std::move(found));
  MAYFLY_TRY(PagePlan plan, PlanOn(*table, request.index, request.consistent));
  plan.forward = request.forward;
  plan.count_only = request.count_only;
  MAYFLY_RETURN_IF_ERROR(AddLimit(request.limit, plan));
  expressions::Arguments arguments(request.arguments);
  MAYFLY_RETURN_IF_ERROR(arguments.CheckForm());
  MAYFLY_TRY(const KeyCondition condition,
             KeyCondition::Parse(request.key_condition, plan.partition(), plan.sort(), arguments));
  MAYFLY_RETURN_IF_ERROR(AddExpressions(given, arguments, plan));
  if (!request.filters_keys) MAYFLY_RETURN_IF_ERROR(CheckFilterNamesNoKey(plan));
  plan.range = RangeOf(condition);
  if (request.start_after) {
    MAYFLY_RETURN_IF_ERROR(StartBehind(*request.start_after, condition, plan));
  }
  return ReadPage(context.database, plan, sink);
}

}  // namespace mayfly::tables
