// debug_commands.cc - the parts of DEBUG that are offered.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "base/glob.h"
#include "base/log.h"
#include "server/admin/admin_handlers.h"
#include "server/admin/debug_data.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/manual/help.h"

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

// DEBUG PROTOCOL type: a reply of that type, for tests of clients.
Answer OneReply(Call& call) {
  ReplyWriter& reply = call.reply;
  const Bytes type = call.args[2];
  constexpr std::int64_t kElements = 3;
  const auto numbers = [&] {
    for (std::int64_t i = 0; i < kElements; ++i) reply.Integer(i);
  };
  if (IsWord(type, "string")) {
    reply.Bulk("Hello World");
  } else if (IsWord(type, "integer")) {
    reply.Integer(12345);
  } else if (IsWord(type, "double")) {
    reply.Double(3.141);
  } else if (IsWord(type, "null")) {
    reply.Null();
  } else if (IsWord(type, "array")) {
    reply.Array(kElements);
    numbers();
  } else if (IsWord(type, "set")) {
    reply.Set(kElements);
    numbers();
  } else if (IsWord(type, "map")) {
    reply.Map(kElements);
    for (std::int64_t i = 0; i < kElements; ++i) {
      reply.Integer(i);
      reply.Boolean(i == 1);
    }
  } else if (IsWord(type, "attrib")) {
    if (reply.version() == ProtocolVersion::kResp3) {
      reply.Begin(Aggregate::kAttribute, 1);
      reply.Bulk("key-popularity");
      reply.Array(2);
      reply.Bulk("key:123");
      reply.Integer(90);
    }
    reply.Bulk("Some real reply following the attribute");
  } else if (IsWord(type, "push")) {
    if (reply.version() != ProtocolVersion::kResp3) {
      return Status::Invalid("RESP2 is not supported by this command");
    }
    reply.Push(2);
    reply.Bulk("server-cpu-usage");
    reply.Integer(42);
    reply.Bulk("Some real reply following the push reply");
  } else if (IsWord(type, "bignum")) {
    reply.BigNumber("1234567999999999999999999999999999999");
  } else if (IsWord(type, "true") || IsWord(type, "false")) {
    reply.Boolean(IsWord(type, "true"));
  } else if (IsWord(type, "verbatim")) {
    reply.Verbatim("txt", "This is a verbatim\nstring");
  } else {
    return Status::Invalid(
        "Wrong protocol type name. Please use one of the following: "
        "string|integer|double|null|array|set|map|attrib|push|verbatim|true|false|bignum");
  }
  return {};
}

// DEBUG ERROR text: an error reply.
Answer AnError(Call& call) {
  std::string line(call.args[2]);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
  call.reply.Error(line);
  return {};
}

Answer LogLine(Call& call) {
  Log(ServerOf(call).logger(), LogLevel::kWarning, "DEBUG LOG: {}", call.args[2]);
  call.reply.Ok();
  return {};
}

// DEBUG STRINGMATCH-LEN length pattern: how long a pattern takes.
Answer MatchLength(Call& call) {
  constexpr std::int64_t kLengthMax = 10'000'000;
  MAYFLY_TRY(const std::int64_t length, IntegerArgument(call.args[2], 0, kLengthMax));
  const std::string text(static_cast<std::size_t>(length), 'x');
  call.reply.Integer(GlobMatches(call.args[3], text) ? 1 : 0);
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
      "DIGEST",
      "    Return a digest of all data, as Redis makes it of the same.",
      "DIGEST-VALUE [<key> ...]",
      "    Return a digest of each value.",
      "ERROR <string>",
      "    Return an error with these words.",
      "JMAP, DICT-RESIZING <0|1>, PAUSE-CRON <0|1>, QUICKLIST-PACKED-THRESHOLD <size>",
      "    Do nothing: there is no such thing here.",
      "LOADAOF, RELOAD [...]",
      "    Make everything durable; there is nothing else to be loaded.",
      "LOG <message>",
      "    Write a line to the log.",
      "OBJECT <key>",
      "    Show how Redis would keep the value.",
      "POPULATE <count> [<prefix>] [<size>]",
      "    Create <count> string keys, of those that do not exist.",
      "PROTOCOL <type>",
      "    Reply with a value of that type.",
      "SET-ACTIVE-EXPIRE <0|1>",
      "    Hold the purging of dead keys, or go on; they are hidden all the same.",
      "SLEEP <seconds>",
      "    Keep the thread of this client busy.",
      "STRINGMATCH-LEN <length> <pattern>",
      "    Match a pattern against so many times 'x'.",
  });
  WriteHelp(call.reply, "DEBUG", kLines);
  return {};
}

constexpr std::size_t kAnyNumber = SIZE_MAX;

struct Part {
  std::string_view name;
  std::size_t args_min;  // With DEBUG and the name.
  std::size_t args_max;
  Handler handler;
};

// clang-format off
constexpr Part kParts[] = {
    {"clock",                      3, 4, MoveClock},
    {"dict-resizing",              3, 3, Nothing},
    {"digest",                     2, 2, DebugDigest},
    {"digest-value",               2, kAnyNumber, DebugDigestValue},
    {"error",                      3, 3, AnError},
    {"help",                       2, 2, Help},
    {"jmap",                       2, 2, Nothing},
    {"loadaof",                    2, 2, DebugReload},
    {"log",                        3, 3, LogLine},
    {"object",                     3, 4, DebugObject},
    {"pause-cron",                 3, 3, Nothing},
    {"populate",                   3, 5, DebugPopulate},
    {"protocol",                   3, 3, OneReply},
    {"quicklist-packed-threshold", 3, 3, Nothing},
    {"reload",                     2, 5, DebugReload},
    {"set-active-expire",          3, 3, DebugSetActiveExpire},
    {"sleep",                      3, 3, Sleep},
    {"stringmatch-len",            4, 4, MatchLength},
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
