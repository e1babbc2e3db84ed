// split_batch.h - a request about items of several shards as one request for each, and one reply of
// their replies.
#pragma once

#include <cstddef>
#include <map>

#include "cluster/tables/item_routes.h"
#include "cluster/tables/table_rules.h"
#include "dynamo/json/json.h"

namespace mayfly::cluster {

using BatchParts = std::map<std::size_t, dynamo::json::object>;  // By shard.

// Of BatchGetItem or BatchWriteItem. Empty: the request is wrong in itself, and any shard refuses it.
BatchParts SplitBatch(const dynamo::json::object& request, const TableRule& rule,
                      std::size_t shards, KeySchemas& schemas);

// The number of items that a batch names.
std::size_t CountItems(const dynamo::json::object& request);

// What a BatchGetItem or BatchWriteItem answers that has done nothing.
dynamo::json::object NothingDone(const dynamo::json::object& request, const TableRule& rule);

// Adds a reply to another one: lists are joined, numbers are added; ConsumedCapacity by table.
void AddReply(dynamo::json::object& whole, const dynamo::json::object& part);

}  // namespace mayfly::cluster
