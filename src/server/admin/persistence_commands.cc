// persistence_commands.cc - SAVE, BGSAVE, SHUTDOWN.
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
