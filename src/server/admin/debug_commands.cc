// debug_commands.cc - the parts of DEBUG that are offered.
#include <fmt/format.h>

#include <array>
#include <thread>

#include "server/admin/admin_handlers.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/help.h"

namespace mayfly::server::admin {
namespace {

Answer CheckAllowed(Call& call) {
  const std::string allowed = ServerOf(call).config().Text(Setting::kEnableDebugCommand);
  if (allowed == "yes" || (allowed == "local" && SessionOf(call).origin().local)) return {};
  return Answer::Error(
      "ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", you "
      "can run it from a local connection, otherwise you need to set this option in the "
      "configuration file, and then restart the server.");
}

Answer Sleep(Call& call) {
  constexpr double kSecondsMax = 3600;
  MAYFLY_TRY(const double seconds, DoubleArgument(call.args[2]));
  if (seconds < 0 || seconds > kSecondsMax) return OutOfRange();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  call.reply.Ok();
  return {};
}

Answer Nothing(Call& call) {
  call.reply.Ok();
  return {};
}

// DEBUG CLOCK SET ms | ADVANCE ms | REAL, which sets it to the machine's time and leaves it
// stopped.
Answer MoveClock(Call& call) {
  Server& server = ServerOf(call);
  ManualClock* const clock = server.manual_clock();
  if (clock == nullptr) {
    return Status::Invalid("the clock is the machine's: start the server with --manual-clock");
  }
  if (call.args.size() == 3 && IsWord(call.args[2], "real")) {
    clock->Set(server.real_clock().Now());
    call.reply.Integer(ToMs(clock->Now()));
    return {};
  }
  if (call.args.size() != 4) return SyntaxError();
  MAYFLY_TRY(const std::int64_t ms, IntegerArgument(call.args[3]));
  if (IsWord(call.args[2], "set")) {
    if (ms < 0) return OutOfRange();
    clock->Set(WallTimeFromMs(ms));
  } else if (IsWord(call.args[2], "advance")) {
    if (ms < 0) return OutOfRange();
    clock->Advance(Millis(ms));
  } else {
    return SyntaxError();
  }
  call.reply.Integer(ToMs(clock->Now()));
  return {};
}

Answer Help(Call& call) {
  static constexpr std::array kLines = std::to_array<std::string_view>({
      "CLOCK SET <ms> | ADVANCE <ms> | REAL",
      "    Move the clock of a server started with --manual-clock; returns the time.",
      "JMAP, SET-ACTIVE-EXPIRE <0|1>",
      "    Do nothing.",
      "SLEEP <seconds>",
      "    Keep the thread of this client busy.",
  });
  WriteHelp(call.reply, "DEBUG", kLines);
  return {};
}

struct Part {
  std::string_view name;
  std::size_t args_min;  // With DEBUG and the name.
  std::size_t args_max;
  Handler handler;
};

// clang-format off
constexpr Part kParts[] = {
    {"clock",             3, 4, MoveClock},
    {"help",              2, 2, Help},
    {"jmap",              2, 2, Nothing},
    {"set-active-expire", 3, 3, Nothing},
    {"sleep",             3, 3, Sleep},
};
// clang-format on

}  // namespace

// As in Redis its parts are no subcommands: ACL rules name them as first arguments, offered or not.
Answer Debug(Call& call) {
  if (Answer allowed = CheckAllowed(call); !allowed.ok()) return allowed;
  for (const Part& part : kParts) {
    if (!IsWord(call.args[1], part.name)) continue;
    if (call.args.size() < part.args_min || call.args.size() > part.args_max) break;
    return part.handler(call);
  }
  return Status::Invalid(fmt::format(
      "unknown subcommand or wrong number of arguments for '{}'. Try DEBUG HELP.", call.args[1]));
}

}  // namespace mayfly::server::admin
