// slowlog_commands.cc - SLOWLOG and its subcommands.
#include <array>

#include "server/admin/admin_handlers.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/manual/help.h"

namespace mayfly::server::admin {

Answer SlowlogGet(Call& call) {
  constexpr std::int64_t kShownByDefault = 10;
  if (call.args.size() > 3) return WrongArity("slowlog|get");
  std::int64_t count = kShownByDefault;
  if (call.args.size() == 3) {
    const auto wanted = IntegerArgument(call.args[2]);
    if (!wanted || *wanted < -1) {
      return Status::Invalid("count should be greater than or equal to -1");
    }
    count = *wanted;
  }
  Slowlog& slowlog = ServerOf(call).slowlog();
  const auto commands =
      slowlog.Newest(count < 0 ? slowlog.size() : static_cast<std::size_t>(count));
  call.reply.Array(commands.size());
  for (const SlowCommand& command : commands) {
    call.reply.Array(6);
    call.reply.Integer(static_cast<std::int64_t>(command.id));
    call.reply.Integer(ToMs(command.at) / 1000);
    call.reply.Integer(static_cast<std::int64_t>(command.micros));
    call.reply.Array(command.args.size());
    for (const std::string& arg : command.args) call.reply.Bulk(arg);
    call.reply.Bulk(command.client_address);
    call.reply.Bulk(command.client_name);
  }
  return {};
}

Answer SlowlogLen(Call& call) {
  call.reply.Integer(static_cast<std::int64_t>(ServerOf(call).slowlog().size()));
  return {};
}

Answer SlowlogReset(Call& call) {
  ServerOf(call).slowlog().Clear();
  call.reply.Ok();
  return {};
}

Answer SlowlogHelp(Call& call) {
  static constexpr std::array kLines = std::to_array<std::string_view>({
      "GET [<count>]",
      "    Return top <count> entries from the slowlog (default: 10, -1 mean all).",
      "    Entries are made of:",
      "    id, timestamp, time in microseconds, arguments array, client IP and port,",
      "    client name",
      "LEN",
      "    Return the length of the slowlog.",
      "RESET",
      "    Reset the slowlog.",
  });
  WriteHelp(call.reply, "SLOWLOG", kLines);
  return {};
}

}  // namespace mayfly::server::admin
