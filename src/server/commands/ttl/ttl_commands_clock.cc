// ttl_commands_clock.cc - TTL.CLOCK: shows the database's clock, and resolves a jump of the
// machine's.
#include "mayfly/database.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/ttl/ttl_commands.h"
#include "server/commands/ttl/ttl_fields.h"
#include "server/session/server.h"
#include "server/stats/clock_words.h"

namespace mayfly::server {
namespace {

void Show(ReplyWriter& reply, const ClockReport& report) {
  reply.Map(10);
  Field(reply, "state", Bytes(ClockState(report)));
  Field(reply, "now", report.now);
  Field(reply, "machine", report.machine);
  Field(reply, "ahead-ms", (report.now - report.machine).count());
  Field(reply, "deletion-stopped", std::int64_t{report.physical_deletion_stopped});
  Field(reply, "last-jump-ms", report.last_jump.count());
  Field(reply, "without-jump", report.without_jump.value_or(report.now));
  Field(reply, "jumps-forward", report.jumps_forward);
  Field(reply, "steps-back", report.steps_back);
  Field(reply, "advice", Bytes(ClockAdvice(report)));
}

}  // namespace

Answer TtlClock(Call& call) {
  MAYFLY_TRY(Database* const database, WholeDatabase(call.host));
  if (call.args.size() > 2) return SyntaxError();
  if (call.args.size() == 1 || IsWord(call.args[1], "show")) {
    Show(call.reply, database->clock_report());
    return {};
  }
  if (IsWord(call.args[1], "confirm")) {
    MAYFLY_RETURN_IF_ERROR(database->ConfirmClock());
  } else if (IsWord(call.args[1], "revert")) {
    MAYFLY_RETURN_IF_ERROR(database->RevertClock());
    // What had died is there again.
    if (Server* const server = call.host.server()) server->tracking().EverythingChanged();
  } else {
    return SyntaxError();
  }
  call.reply.Ok();
  return {};
}

}  // namespace mayfly::server
