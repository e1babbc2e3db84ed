#include "server/admin/debug_data.h"

#include <fmt/format.h>

#include "server/admin/admin_handlers.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/limits.h"
#include "server/commands/support/value_encoding.h"

namespace mayfly::server::admin {

Answer DebugObject(Call& call) {
  const Keyspace* const keyspace = call.host.keyspace(call.database);
  if (keyspace == nullptr || call.frozen_now) {
    return Status::Invalid("DEBUG OBJECT is not offered within a transaction");
  }
  MAYFLY_TRY(const auto transaction,
             ServerOf(call).transactions().Begin({.keys = {{keyspace, call.args[2], false}}}));
  Call on_key{.args = call.args,
              .reply = call.reply,
              .transaction = transaction.get(),
              .database = call.database,
              .host = call.host};
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(on_key.space().Find(call.args[2], row));
  if (!row.exists) return Answer::Error("ERR no such key");
  MAYFLY_TRY(const std::string_view encoding, EncodingOf(on_key, call.args[2], row));
  call.reply.SimpleString(fmt::format(
      "Value at:0x0 refcount:1 encoding:{} serializedlength:{} lru:0 lru_seconds_idle:0", encoding,
      row.value.size()));
  return {};
}

Answer DebugPopulate(Call& call) {
  if (call.frozen_now) return Status::Invalid("DEBUG POPULATE is not offered within a transaction");
  MAYFLY_TRY(const std::int64_t count, IntegerArgument(call.args[2], 0, kPopulateKeysMax));
  const std::string prefix(call.args.size() > 3 ? call.args[3] : Bytes("key"));
  std::int64_t size = 0;
  if (call.args.size() > 4) {
    MAYFLY_TRY(size, IntegerArgument(call.args[4], 0, kPopulateBytesMax));
  }
  Keyspace* const keyspace = call.host.keyspace(call.database);
  if (keyspace == nullptr) return Status::Invalid("there is no such database");
  for (std::int64_t i = 0; i < count; ++i) {
    std::string value = fmt::format("value:{}", i);
    if (size > 0) value.resize(static_cast<std::size_t>(size));
    MAYFLY_RETURN_IF_ERROR(
        keyspace->PutIf(fmt::format("{}:{}", prefix, i), value, PutCondition::Absent()).status());
  }
  call.reply.Ok();
  return {};
}

Answer DebugReload(Call& call) {
  if (!call.frozen_now) MAYFLY_RETURN_IF_ERROR(ServerOf(call).Save());
  call.reply.Ok();
  return {};
}

Answer DebugSetActiveExpire(Call& call) {
  MAYFLY_TRY(const std::int64_t active, IntegerArgument(call.args[2], 0, 1));
  Server& server = ServerOf(call);
  const auto mapping = server.databases().mapping();
  for (const auto& keyspace : *mapping) {
    if (keyspace != nullptr) core::HoldPurges(server.database(), *keyspace, active == 0);
  }
  call.reply.Ok();
  return {};
}

}  // namespace mayfly::server::admin
