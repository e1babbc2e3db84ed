// asked.h - a request to the tables of a cluster while it is answered.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cluster/tables/cluster_tables.h"
#include "cluster/tables/statuses.h"
#include "dynamo/json/fields.h"
#include "dynamo/json/json_memory.h"
#include "server/shards/table_shards.h"

namespace mayfly::cluster {

inline std::string TargetOf(const dynamo::Operation& operation) {
  return std::string(operation.prefix) + "." + std::string(operation.name);
}

inline void Refuse(dynamo::RunnerCall& call, const dynamo::Refusal& refusal) {
  call.status = refusal.http_status();
  call.reply = dynamo::ToText(refusal.Body());
}

struct ClusterTables::Asked {
  dynamo::RunnerCall* call;
  const TableRule* rule;
  std::unique_ptr<dynamo::JsonMemory> memory = nullptr;    // Of body, which it outlives.
  std::optional<dynamo::json::value> body = std::nullopt;  // An object.
  server::TableCall own = {};                              // Of one that goes to one shard.
  std::size_t shard = 0;

  const dynamo::json::object& object() const { return body->get_object(); }
  dynamo::Fields in() const { return dynamo::Fields(object()); }
  void Take(const server::TableCall& answered) const {
    call->status = answered.status;
    call->reply = answered.reply;
  }
};

}  // namespace mayfly::cluster
