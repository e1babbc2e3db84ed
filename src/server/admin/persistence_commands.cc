// persistence_commands.cc - SAVE, BGSAVE, SHUTDOWN, and commands about replicas.
#include <fmt/format.h>

#include <algorithm>

#include "server/admin/admin_handlers.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"

namespace mayfly::server::admin {

// Makes everything durable. There is no dump file to write instead of the database.
Answer Save(Call& call) {
  Server& server = ServerOf(call);
  if (server.config().Text(Setting::kDir).empty()) {
    return Status::Unsupported("the database is in memory; serve it with --dir to keep it");
  }
  MAYFLY_RETURN_IF_ERROR(server.Save());
  server.last_asked_save_ms = server.last_save_ms.load();
  call.reply.Ok();
  return {};
}

Answer BgSave(Call& call) {
  const bool schedule = call.args.size() == 2 && IsWord(call.args[1], "schedule");
  if (call.args.size() > 1 && !schedule) return SyntaxError();
  // No running job has to end first, so SCHEDULE has no effect.
  MAYFLY_RETURN_IF_ERROR(ServerOf(call).backups().Start("").status());
  call.reply.SimpleString("Background saving started");
  return {};
}

// Does what a rewrite of the log is for: reclaims the space of dead rows, beside the clients.
Answer BgRewriteAof(Call& call) {
  Database& database = ServerOf(call).database();
  const auto reclaim = [&database](JobControl&) -> Result<JobResult> {
    MAYFLY_TRY(const ReclaimReport report, database.Reclaim());
    return JobResult([report](ReplyWriter& reply) {
      reply.Map(2);
      reply.Bulk("files-dropped");
      reply.Integer(static_cast<std::int64_t>(report.files_dropped));
      reply.Bulk("files-rewritten");
      reply.Integer(static_cast<std::int64_t>(report.files_rewritten));
    });
  };
  MAYFLY_RETURN_IF_ERROR(ServerOf(call).jobs().Start("reclaim", reclaim).status());
  call.reply.SimpleString("Background append only file rewriting started");
  return {};
}

Answer LastSave(Call& call) {
  Server& server = ServerOf(call);
  call.reply.Integer(std::max(server.last_asked_save_ms.load(), server.backups().last_ms()) / 1000);
  return {};
}

Answer ReplicaOf(Call& call) {
  constexpr std::int64_t kPortMax = 65535;
  Following* const following = ServerOf(call).following();
  if (IsWord(call.args[1], "no") && IsWord(call.args[2], "one")) {
    if (following != nullptr) MAYFLY_RETURN_IF_ERROR(following->Leave());
    call.reply.Ok();
    return {};
  }
  const auto port = IntegerArgument(call.args[2], 0, kPortMax);
  if (!port) return Status::Invalid("Invalid master port");
  if (following == nullptr) return Status::Unsupported("this server cannot follow another one");
  MAYFLY_RETURN_IF_ERROR(following->Follow(std::string(call.args[1]), static_cast<int>(*port)));
  call.reply.Ok();
  return {};
}

Answer Role(Call& call) {
  Following* const following = ServerOf(call).following();
  if (following != nullptr && ServerOf(call).follows) {
    const FollowFigures figures = following->figures();
    call.reply.Array(5);
    call.reply.Bulk("slave");
    call.reply.Bulk(figures.host);
    call.reply.Integer(figures.port);
    call.reply.Bulk(figures.state == LinkState::kConnected ? "connected"
                    : figures.state == LinkState::kCopying ? "sync"
                                                           : "connect");
    call.reply.Integer(figures.applied);
    return {};
  }
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

}  // namespace mayfly::server::admin
