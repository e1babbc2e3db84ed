// open_tables.h - the tables of a shard while they are open (shard_tables.h).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "cluster/tables/shard_tables.h"
#include "tables/protocol_tables.h"

namespace mayfly::cluster {

// Its members are destroyed from the last to the first: the tables before the database may close.
struct ShardTables::Open {
  std::shared_ptr<server::ServedDatabase> data;
  std::unique_ptr<tables::ProtocolTables> tables;
  std::unique_ptr<dynamo::Service> service;
  std::mutex changes;
  Definitions definitions;  // Guarded by changes.

  explicit Open(std::shared_ptr<server::ServedDatabase> of)
      : data(std::move(of)), definitions(data->database) {}
};

// "ResourceNotFoundException", of a refusal; empty for another reply.
std::string KindOf(const server::TableCall& call);

inline void Refuse(server::TableCall& call, int status, const Status& why) {
  call.status = status;
  call.reply = std::string(why.message());
}

}  // namespace mayfly::cluster
