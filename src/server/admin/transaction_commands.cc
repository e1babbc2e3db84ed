// transaction_commands.cc - MULTI, DISCARD, EXEC, WATCH and UNWATCH.
#include <algorithm>

#include "server/admin/admin_handlers.h"

namespace mayfly::server::admin {

Answer Multi(Call& call) {
  TransactionState& transaction = SessionOf(call).state().transaction;
  if (transaction.open) return Status::Invalid("MULTI calls can not be nested");
  transaction.open = true;
  call.reply.Ok();
  return {};
}

Answer Discard(Call& call) {
  Session& session = SessionOf(call);
  if (!session.state().transaction.open) return Status::Invalid("DISCARD without MULTI");
  session.state().transaction = {};
  session.DropWatches();
  call.reply.Ok();
  return {};
}

// The executor runs EXEC itself; this handler only gets it from a script.
Answer Exec(Call& /*call*/) { return Status::Invalid("EXEC without MULTI"); }

// Runs in a latched transaction on the keys, so that no change falls between the read and the
// watch.
Answer WatchCommand(Call& call) {
  Session& session = SessionOf(call);
  ClientState& state = session.state();
  if (state.transaction.open) return Status::Invalid("WATCH inside MULTI is not allowed");
  for (const Bytes key : call.args.subspan(1)) {
    const auto same = [&](const auto& watch) {
      return watch->key.database == call.database && watch->key.key == key;
    };
    if (std::any_of(state.watches.begin(), state.watches.end(), same)) continue;
    core::FoundRow row;
    MAYFLY_RETURN_IF_ERROR(call.space().Find(key, row));
    state.watches.push_back(ServerOf(call).watches().Add({call.database, std::string(key)},
                                                         row.exists, call.host.tenure()));
  }
  call.reply.Ok();
  return {};
}

Answer Unwatch(Call& call) {
  SessionOf(call).DropWatches();
  call.reply.Ok();
  return {};
}

}  // namespace mayfly::server::admin
