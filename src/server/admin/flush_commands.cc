// flush_commands.cc - FLUSHDB, FLUSHALL and SWAPDB.
#include <limits>

#include "server/admin/admin_handlers.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/executor/command_batch.h"

namespace mayfly::server::admin {
namespace {

// The host is the executor's batch: no other host runs these commands.
CommandBatch& RunOf(Call& call) { return static_cast<CommandBatch&>(call.host); }

// SYNC and ASYNC mean the same: the cost of emptying does not depend on the size.
Status CheckFlushOptions(const Call& call) {
  if (call.args.size() == 1) return {};
  const bool known = IsWord(call.args[1], "sync") || IsWord(call.args[1], "async");
  return call.args.size() == 2 && known ? Status() : SyntaxError();
}

Result<int> DatabaseArgument(Call& call, std::size_t index, std::string_view error) {
  using Limits = std::numeric_limits<int>;
  const auto number = IntegerArgument(call.args[index], Limits::min(), Limits::max());
  if (!number) return Status::Invalid(std::string(error));
  return static_cast<int>(*number);
}

}  // namespace

Answer FlushDb(Call& call) {
  MAYFLY_RETURN_IF_ERROR(CheckFlushOptions(call));
  MAYFLY_RETURN_IF_ERROR(RunOf(call).Flush(call.database));
  call.reply.Ok();
  return {};
}

Answer FlushAll(Call& call) {
  MAYFLY_RETURN_IF_ERROR(CheckFlushOptions(call));
  for (int database = 0; database < call.host.databases(); ++database) {
    MAYFLY_RETURN_IF_ERROR(RunOf(call).Flush(database));
  }
  call.reply.Ok();
  return {};
}

Answer SwapDb(Call& call) {
  MAYFLY_TRY(const int first, DatabaseArgument(call, 1, "invalid first DB index"));
  MAYFLY_TRY(const int second, DatabaseArgument(call, 2, "invalid second DB index"));
  for (const int database : {first, second}) {
    if (database < 0 || database >= call.host.databases()) {
      return Status::Invalid("DB index is out of range");
    }
  }
  MAYFLY_RETURN_IF_ERROR(RunOf(call).Swap(first, second));
  call.reply.Ok();
  return {};
}

}  // namespace mayfly::server::admin
