#include "tables/queries/page_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "expressions/key_condition.h"
#include "tables/items/item_writer.h"
#include "tables/queries/query_calls.h"
#include "tables/schema/item_limits.h"

namespace mayfly::tables {
namespace {

// What an index has of its items; nothing: all attributes.
std::optional<std::set<std::string>> HeldBy(const Table& table, const Index& index) {
  const IndexProjection& projection = index.spec.projection;
  if (projection.kind == IndexProjection::Kind::kAll) return std::nullopt;
  std::set<std::string> has = {table.spec.partition.name, index.spec.partition.name};
  if (table.spec.sort) has.insert(table.spec.sort->name);
  if (index.spec.sort) has.insert(index.spec.sort->name);
  if (projection.kind == IndexProjection::Kind::kInclude) {
    has.insert(projection.attributes.begin(), projection.attributes.end());
  }
  return has;
}

// Those of `names` that an index does not have.
std::vector<std::string> NotProjected(const Table& table, const Index& index,
                                      const std::set<std::string>& names) {
  const auto has = HeldBy(table, index);
  std::vector<std::string> missing;
  if (!has) return missing;
  std::set_difference(names.begin(), names.end(), has->begin(), has->end(),
                      std::back_inserter(missing));
  return missing;
}

// A local index lies with its table, which has the other attributes; a global one has only its own.
Status DecideFetch(bool all_attributes, PagePlan& plan) {
  if (plan.index == nullptr) return {};
  const Index& index = *plan.index;
  const bool has_all = index.spec.projection.kind == IndexProjection::Kind::kAll;
  std::set<std::string> wanted;
  if (plan.projection) wanted = plan.projection->Attributes();
  if (!index.local) {
    if (all_attributes && !has_all) {
      return Status::Invalid(fmt::format(
          "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported "
          "for global secondary index {} because its projection type is not ALL",
          index.spec.name));
    }
    const auto missing = NotProjected(*plan.table, index, wanted);
    if (missing.empty()) return {};
    return Status::Invalid(fmt::format(
        "One or more parameter values were invalid: Global secondary index {} does not project "
        "[{}]",
        index.spec.name, fmt::join(missing, ", ")));
  }
  if (plan.filter) wanted.merge(plan.filter->Attributes());
  plan.fetch = !has_all && (all_attributes || !NotProjected(*plan.table, index, wanted).empty());
  return {};
}

}  // namespace

const KeyAttribute& PagePlan::partition() const {
  const bool own = index != nullptr && !index->local;
  return own ? index->spec.partition : table->spec.partition;
}

const std::optional<KeyAttribute>& PagePlan::sort() const {
  return index != nullptr ? index->spec.sort : table->spec.sort;
}

Result<ReadSchema> FindReadSchema(const ItemContext& context, const std::string& table,
                                  const std::string& index) {
  MAYFLY_TRY(const TableUse use, context.catalog.Use(table));
  PagePlan plan{.table = &*use, .index = index.empty() ? nullptr : use->FindIndex(index)};
  if (!index.empty() && plan.index == nullptr) {
    return Status::Invalid("The table does not have the specified index");
  }
  ReadSchema schema = {.partition = plan.partition().name};
  schema.partition_type = plan.partition().type;
  if (plan.sort()) {
    schema.sort = plan.sort()->name;
    schema.sort_type = plan.sort()->type;
  }
  if (plan.index == nullptr) return schema;
  schema.is_index = true;
  schema.is_local = plan.index->local;
  schema.held = HeldBy(*use, *plan.index);
  return schema;
}

Result<PagePlan> PlanOn(const Table& table, const std::string& name, bool consistent) {
  PagePlan plan{.table = &table, .index = nullptr};
  if (name.empty()) return plan;
  plan.index = table.FindIndex(name);
  if (plan.index == nullptr) {
    return Status::Invalid(fmt::format("The table does not have the specified index: {}", name));
  }
  if (consistent && !plan.index->local) {
    return Status::Invalid("Consistent reads are not supported on global secondary indexes");
  }
  if (plan.index->status == IndexStatus::kCreating) {
    return Status::Invalid(
        fmt::format("Cannot read from backfilling global secondary index: {}", name));
  }
  return plan;
}

namespace {

// Parses into the plan.
Status Parse(const PageExpressions& given, expressions::Arguments& arguments, PagePlan& plan) {
  if (!given.filter.empty()) {
    MAYFLY_TRY(auto filter, expressions::Condition::Parse(
                                given.filter, expressions::Condition::Role::kFilter, arguments));
    plan.filter.emplace(std::move(filter));
  }
  if (!given.projection.empty()) {
    MAYFLY_TRY(auto projection, expressions::Projection::Parse(given.projection, arguments));
    plan.projection.emplace(std::move(projection));
  }
  return arguments.CheckAllUsed(given.any_other || plan.filter || plan.projection);
}

}  // namespace

Status AddExpressions(const PageExpressions& given, expressions::Arguments& arguments,
                      PagePlan& plan) {
  MAYFLY_RETURN_IF_ERROR(Parse(given, arguments, plan));
  return DecideFetch(given.all_attributes, plan);
}

Status CheckExpressions(const std::string& key_condition, const PageExpressions& given,
                        const ExpressionArguments& arguments) {
  expressions::Arguments of_request(arguments);
  MAYFLY_RETURN_IF_ERROR(of_request.CheckForm());
  if (!key_condition.empty()) {
    MAYFLY_RETURN_IF_ERROR(expressions::CheckKeyCondition(key_condition, of_request));
  }
  PagePlan plan{.table = nullptr, .index = nullptr};
  return Parse(given, of_request, plan);
}

Status AddLimit(const std::optional<std::uint64_t>& limit, PagePlan& plan) {
  if (limit && *limit == 0) {
    return Status::Invalid(
        "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member "
        "must have value greater than or equal to 1");
  }
  plan.limit = limit;
  return {};
}

Result<std::string> PositionOf(const PagePlan& plan, const Item& last_key, const char* otherwise) {
  const Table& table = *plan.table;
  // It must name the keys, all of them and nothing else.
  const auto key = KeyOf(table, KeyAttributesOf(table, nullptr, last_key));
  if (!key || KeyAttributesOf(table, plan.index, last_key).size() != last_key.size()) {
    return Status::Invalid(otherwise);
  }
  if (plan.index == nullptr) return *key;
  const auto entry = EntryKey(table, *plan.index, *key, last_key);
  if (!entry) return Status::Invalid(otherwise);
  return *entry;
}

void GoOnBehind(const std::string& position, PagePlan& plan) {
  if (plan.forward) {
    plan.range.begin = position + '\0';  // The smallest key behind it.
  } else {
    plan.range.end = position;
  }
}

}  // namespace mayfly::tables
