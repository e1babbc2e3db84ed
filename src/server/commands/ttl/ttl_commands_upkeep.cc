// ttl_commands_upkeep.cc - TTL.BACKUP and TTL.CHECK: jobs on the served database. TTL.JOB shows
// them.
#include <string>

#include "core/upkeep/watched_upkeep.h"
#include "mayfly/database.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/ttl/ttl_commands.h"
#include "server/commands/ttl/ttl_fields.h"
#include "server/session/server.h"

namespace mayfly::server {
namespace {

void WriteReport(ReplyWriter& reply, const CheckReport& report) {
  reply.Map(9);
  Field(reply, "clean", report.clean());
  Field(reply, "rows", report.rows);
  Field(reply, "members", report.members);
  Field(reply, "entries", report.entries);
  Field(reply, "missing-entries", report.missing_entries);
  Field(reply, "stale-entries", report.stale_entries);
  Field(reply, "wrong-counts", report.wrong_counts);
  Field(reply, "repaired", report.repaired);
  reply.Bulk("findings");
  reply.Array(report.findings.size());
  for (const std::string& finding : report.findings) reply.Bulk(finding);
}

Result<Server*> ServerToAsk(HostContexts& host) {
  if (host.server() == nullptr) return Status::Unsupported("there is no server to ask");
  return host.server();
}

}  // namespace

Answer TtlBackup(Call& call) {
  if (call.args.size() > 2) return SyntaxError();
  const std::string name(call.args.size() == 2 ? call.args[1] : Bytes());
  MAYFLY_TRY(Server* const server, ServerToAsk(call.host));
  MAYFLY_TRY(const std::uint64_t id, server->backups().Start(name));
  call.reply.Integer(static_cast<std::int64_t>(id));
  return {};
}

Answer TtlCheck(Call& call) {
  const bool repair = call.args.size() == 2 && IsWord(call.args[1], "repair");
  if (call.args.size() > 1 && !repair) return SyntaxError();
  MAYFLY_TRY(Server* const server, ServerToAsk(call.host));
  MAYFLY_TRY(Database* const database, WholeDatabase(call.host));
  const auto check = [database, repair](JobControl& control) -> Result<JobResult> {
    const auto progress = [&](std::uint64_t done, std::uint64_t all) {
      return control.Tell(done, all);
    };
    MAYFLY_TRY(CheckReport report, core::CheckWatched(*database, {.repair = repair}, progress));
    return JobResult(
        [report = std::move(report)](ReplyWriter& reply) { WriteReport(reply, report); });
  };
  MAYFLY_TRY(const std::uint64_t id, server->jobs().Start("check", check));
  call.reply.Integer(static_cast<std::int64_t>(id));
  return {};
}

}  // namespace mayfly::server
