#include <fmt/format.h>

#include "server/arguments.h"
#include "server/errors.h"
#include "server/own/own_handlers.h"

namespace mayfly::server::own {

Answer Save(Call& call) {
  MAYFLY_RETURN_IF_ERROR(ServerOf(call).Save());
  call.reply.Ok();
  return {};
}

// There is nothing to do in the background: what is committed is in the log, and an fsync makes it
// durable.
Answer BgSave(Call& call) {
  const bool schedule = call.args.size() == 2 && IsWord(call.args[1], "schedule");
  if (call.args.size() > 1 && !schedule) return SyntaxError();
  MAYFLY_RETURN_IF_ERROR(ServerOf(call).Save());
  call.reply.SimpleString("Background saving started");
  return {};
}

Answer BgRewriteAof(Call& call) {
  call.reply.SimpleString("Background append only file rewriting started");
  return {};
}

Answer LastSave(Call& call) {
  call.reply.Integer(ServerOf(call).last_save_ms / 1000);
  return {};
}

Answer ReplicaOf(Call& call) {
  if (!IsWord(call.args[1], "no") || !IsWord(call.args[2], "one")) {
    return Status::Invalid("replication in Redis' protocol is not offered by mayfly yet");
  }
  call.reply.Ok();
  return {};
}

Answer Role(Call& call) {
  call.reply.Array(3);
  call.reply.Bulk("master");
  call.reply.Integer(0);
  call.reply.Array(0);
  return {};
}

Answer Wait(Call& call) {
  MAYFLY_TRY([[maybe_unused]] const std::int64_t replicas, IntegerArgument(call.args[1]));
  const auto timeout = IntegerArgument(call.args[2]);
  if (!timeout) return Status::Invalid("timeout is not an integer or out of range");
  if (*timeout < 0) return Status::Invalid("timeout is negative");
  call.reply.Integer(0);
  return {};
}

// Everything is saved in any case: NOSAVE cannot lose what was acknowledged.
Answer ShutdownCommand(Call& call) {
  bool abort = false;
  for (const Bytes option : call.args.subspan(1)) {
    if (IsWord(option, "abort")) {
      abort = true;
    } else if (!IsWord(option, "save") && !IsWord(option, "nosave") && !IsWord(option, "now") &&
               !IsWord(option, "force")) {
      return SyntaxError();
    }
  }
  if (abort) {
    return call.args.size() > 2 ? SyntaxError() : Status::Invalid("No shutdown in progress.");
  }
  SessionOf(call).state().close_after_reply = true;
  ServerOf(call).Shutdown();
  return {};
}

}  // namespace mayfly::server::own
