// item_routes.h - which slot the items of a request have.
// An item's slot is that of its partition key alone: of the bytes of a string or binary, with their
// {hash tag}, or of the digits of a number. The table does not count, so that items of several tables
// can be put together.
// The server that has a request computes the route from key schemas that it remembers, and the owner of
// the shard again from its own: so a request never runs in a shard that its items do not have.
#pragma once

#include <optional>
#include <string>

#include "cluster/tables/table_rules.h"
#include "dynamo/json/fields.h"
#include "dynamo/requests/expression_input.h"
#include "engine/address.h"
#include "expressions/key_condition.h"
#include "mayfly/item.h"
#include "server/shards/cluster_view.h"
#include "tables/queries/read_schema.h"

namespace mayfly::cluster {

class KeySchemas {
 public:
  virtual ~KeySchemas() = default;

  // Nothing: there is no such table or index.
  virtual std::optional<tables::ReadSchema> Find(const std::string& table,
                                                 const std::string& index) = 0;
};

// Nothing for a value that cannot be a key.
std::optional<engine::Slot> SlotOfKey(const AttributeValue& partition);

// Of an item, or its key. Nothing: it is no item of the table.
std::optional<engine::Slot> SlotOfItem(const dynamo::json::object& item, const std::string& table,
                                       KeySchemas& schemas);

struct ItemRoute {
  // Nothing: the request is wrong in itself, and any shard refuses it.
  std::optional<engine::Slot> slot = std::nullopt;
  bool several_slots = false;
  bool all_shards = false;  // A query of a global index, whose entries lie with their items.
};

// Of a Query, in either of DynamoDB's two forms.
dynamo::Outcome<dynamo::ExpressionInput> ReadQueryExpressions(const dynamo::Fields& in);

// Nothing: the condition is missing or wrong.
std::optional<expressions::KeyCondition> KeyConditionOf(const dynamo::ExpressionInput& input,
                                                        const tables::ReadSchema& schema);

// For kItem, kQuery and kTransaction. The request has its shape.
ItemRoute RouteOf(const TableRule& rule, const dynamo::Fields& in, KeySchemas& schemas);

}  // namespace mayfly::cluster
