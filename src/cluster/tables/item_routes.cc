#include "cluster/tables/item_routes.h"

#include "dynamo/json/attribute_json.h"

namespace mayfly::cluster {
namespace {

using dynamo::Fields;

// The part of an action of a transaction that names its item.
struct NamedItem {
  const dynamo::json::object* item = nullptr;
  std::string table;
};

NamedItem ItemOf(const Fields& action) {
  for (const char* const kind : {"Put", "Update", "Delete", "ConditionCheck", "Get"}) {
    const auto found = action.Structure(kind);
    if (!found) continue;
    return {found->Map(found->Has("Item") ? "Item" : "Key"), found->Name("TableName")};
  }
  return {};
}

ItemRoute RouteOfTransaction(const Fields& in, KeySchemas& schemas) {
  ItemRoute route;
  for (const Fields& action : in.Structures("TransactItems")) {
    const NamedItem named = ItemOf(action);
    if (named.item == nullptr) return {};
    const auto slot = SlotOfItem(*named.item, named.table, schemas);
    if (!slot) return {};
    if (route.slot && *route.slot != *slot) route.several_slots = true;
    route.slot = slot;
  }
  return route;
}

ItemRoute RouteOfQuery(const Fields& in, KeySchemas& schemas) {
  const auto schema = schemas.Find(in.Name("TableName"), in.Name("IndexName"));
  if (!schema) return {};
  const auto input = ReadQueryExpressions(in);
  const auto condition = input ? KeyConditionOf(*input, *schema) : std::nullopt;
  if (!condition) return {};
  if (schema->is_index && !schema->is_local) return {.all_shards = true};
  return {.slot = SlotOfKey(condition->partition)};
}

}  // namespace

dynamo::Outcome<dynamo::ExpressionInput> ReadQueryExpressions(const Fields& in) {
  return dynamo::ReadExpressions(
      in, {{"ProjectionExpression", "FilterExpression", "KeyConditionExpression"},
           {"AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"}});
}

std::optional<expressions::KeyCondition> KeyConditionOf(const dynamo::ExpressionInput& input,
                                                        const tables::ReadSchema& schema) {
  std::optional<KeyAttribute> sort;
  if (schema.sort) sort = KeyAttribute{*schema.sort, schema.sort_type};
  expressions::Arguments arguments(input.arguments);
  if (input.key_condition.empty() || !arguments.CheckForm().ok()) return std::nullopt;
  auto condition = expressions::KeyCondition::Parse(
      input.key_condition, {schema.partition, schema.partition_type}, sort, arguments);
  if (!condition) return std::nullopt;
  return *std::move(condition);
}

std::optional<engine::Slot> SlotOfKey(const AttributeValue& partition) {
  if (const std::string* const text = partition.string()) return engine::SlotOf(*text);
  if (const Number* const number = partition.number()) return engine::SlotOf(number->text());
  if (const Binary* const binary = partition.binary()) return engine::SlotOf(binary->bytes);
  return std::nullopt;
}

std::optional<engine::Slot> SlotOfItem(const dynamo::json::object& item, const std::string& table,
                                       KeySchemas& schemas) {
  const auto schema = schemas.Find(table, {});
  if (!schema) return std::nullopt;
  const dynamo::json::value* const found = item.if_contains(dynamo::ToJson(schema->partition));
  if (found == nullptr) return std::nullopt;
  const auto value = dynamo::ReadValue(*found);
  return value ? SlotOfKey(*value) : std::nullopt;
}

ItemRoute RouteOf(const TableRule& rule, const Fields& in, KeySchemas& schemas) {
  if (rule.reach == TableReach::kQuery) return RouteOfQuery(in, schemas);
  if (rule.reach == TableReach::kTransaction) return RouteOfTransaction(in, schemas);
  return {.slot = SlotOfItem(in.MapOrNone(rule.detail), in.Name("TableName"), schemas)};
}

}  // namespace mayfly::cluster
