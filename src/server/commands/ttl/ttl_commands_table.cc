// ttl_commands_table.cc - TTL.TABLE: operations of DynamoDB's API for users of ACL.
#include "server/command/arguments.h"
#include "server/commands/ttl/ttl_commands.h"
#include "server/databases/table_operations.h"
#include "server/session/server.h"

namespace mayfly::server {
namespace {

Answer RunOperation(Call& call, TableOperations::Access access) {
  Server* const server = call.host.server();
  TableOperations* const tables = server == nullptr ? nullptr : server->table_operations();
  if (tables == nullptr) return Status::Unsupported("there are no tables to ask");
  MAYFLY_TRY(const std::string reply, tables->Run(access, call.args[2], call.args[3]));
  call.reply.Bulk(reply);
  return {};
}

}  // namespace

Answer TtlTableRead(Call& call) { return RunOperation(call, TableOperations::Access::kRead); }

Answer TtlTableWrite(Call& call) { return RunOperation(call, TableOperations::Access::kWrite); }

}  // namespace mayfly::server
