// client_commands.cc - the subcommands of CLIENT about clients, but KILL.
#include <fmt/format.h>

#include <array>

#include "server/admin/admin_handlers.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/manual/help.h"
#include "server/session/client_line.h"

namespace mayfly::server::admin {
namespace {

// CLIENT NO-EVICT and NO-TOUCH.
Answer Switch(Call& call, bool ClientState::*flag) {
  const bool on = IsWord(call.args[2], "on");
  if (!on && !IsWord(call.args[2], "off")) return SyntaxError();
  SessionOf(call).state().*flag = on;
  call.reply.Ok();
  return {};
}

Result<std::uint64_t> ClientIdArgument(Bytes argument) {
  const auto id = IntegerArgument(argument);
  if (!id || *id < 1) return Status::Invalid("Invalid client ID");
  return static_cast<std::uint64_t>(*id);
}

}  // namespace

Answer ClientId(Call& call) {
  call.reply.Integer(static_cast<std::int64_t>(SessionOf(call).origin().id));
  return {};
}

Answer ClientGetName(Call& call) {
  const std::string& name = SessionOf(call).state().name;
  if (name.empty()) {
    call.reply.Null();
  } else {
    call.reply.Bulk(name);
  }
  return {};
}

Answer ClientInfoCommand(Call& call) {
  Session& session = SessionOf(call);
  session.Publish();
  call.reply.Verbatim("txt", ClientLine(session, ServerOf(call).Steady()) + "\n");
  return {};
}

Answer ClientList(Call& call) {
  Server& server = ServerOf(call);
  SessionOf(call).Publish();
  std::string text;
  const SteadyTime now = server.Steady();
  const auto add = [&](const Session& session) { text += ClientLine(session, now) + "\n"; };
  if (call.args.size() == 2) {
    for (const auto& session : server.clients().All()) add(*session);
  } else if (IsWord(call.args[2], "type") && call.args.size() == 4) {
    const auto type = ReadListedType(call.args[3]);
    if (!type) return Status::Invalid(fmt::format("Unknown client type '{}'", call.args[3]));
    for (const auto& session : server.clients().All()) {
      if (TypeOfClient(session->info()) == *type) add(*session);
    }
  } else if (IsWord(call.args[2], "id") && call.args.size() > 3) {
    for (const Bytes argument : call.args.subspan(3)) {
      MAYFLY_TRY(const std::uint64_t id, ClientIdArgument(argument));
      if (const auto session = server.clients().Find(id)) add(*session);
    }
  } else {
    return SyntaxError();
  }
  call.reply.Verbatim("txt", text);
  return {};
}

Answer ClientReply(Call& call) {
  Session& session = SessionOf(call);
  const ReplyMode before = session.state().replies;
  if (IsWord(call.args[2], "on")) {
    session.state().replies = ReplyMode::kOn;
    // While replies are off, what a handler writes goes nowhere.
    if (before == ReplyMode::kOn) {
      call.reply.Ok();
    } else {
      ReplyWriter(session.out(), session.state().version).Ok();
    }
  } else if (IsWord(call.args[2], "off")) {
    session.state().replies = ReplyMode::kOff;
  } else if (IsWord(call.args[2], "skip")) {
    if (before == ReplyMode::kOn) session.state().replies = ReplyMode::kSkipNext;
  } else {
    return SyntaxError();
  }
  return {};
}

Answer ClientPauseCommand(Call& call) {
  const auto timeout = IntegerArgument(call.args[2]);
  if (!timeout) return Status::Invalid("timeout is not an integer or out of range");
  if (*timeout < 0) return Status::Invalid("timeout is negative");
  PauseMode mode = PauseMode::kAll;
  if (call.args.size() == 4) {
    if (IsWord(call.args[3], "write")) {
      mode = PauseMode::kWrites;
    } else if (!IsWord(call.args[3], "all")) {
      return Status::Invalid("CLIENT PAUSE mode must be WRITE or ALL");
    }
  } else if (call.args.size() > 4) {
    return SyntaxError();
  }
  constexpr std::int64_t kPauseMsMax = std::int64_t{1} << 40;  // Some thirty years.
  const SteadyTime now = ServerOf(call).Steady();
  ServerOf(call).pause().Begin(now, now + Millis(std::min(*timeout, kPauseMsMax)), mode);
  call.reply.Ok();
  return {};
}

Answer ClientUnpause(Call& call) {
  ServerOf(call).pause().End();
  ServerOf(call).ResumePaused();
  call.reply.Ok();
  return {};
}

Answer ClientUnblock(Call& call) {
  bool with_error = false;
  if (call.args.size() > 4) return SyntaxError();
  if (call.args.size() == 4) {
    with_error = IsWord(call.args[3], "error");
    if (!with_error && !IsWord(call.args[3], "timeout")) {
      return Status::Invalid("CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    }
  }
  MAYFLY_TRY(const std::int64_t id, IntegerArgument(call.args[2]));
  const auto session = ServerOf(call).clients().Find(static_cast<std::uint64_t>(id));
  call.reply.Integer(session != nullptr && session->Unblock(with_error) ? 1 : 0);
  return {};
}

Answer ClientNoEvict(Call& call) { return Switch(call, &ClientState::no_evict); }
Answer ClientNoTouch(Call& call) { return Switch(call, &ClientState::no_touch); }

Answer ClientHelp(Call& call) {
  static constexpr std::array kLines = std::to_array<std::string_view>({
      "CACHING (YES|NO)",
      "    Enable or disable tracking of the keys of the next command, in OPTIN or OPTOUT mode.",
      "GETNAME",
      "    Return the name of the current connection.",
      "GETREDIR",
      "    Return the client ID we are redirecting to when tracking is enabled.",
      "ID",
      "    Return the ID of the current connection.",
      "INFO",
      "    Return information about the current client connection.",
      "KILL <ip:port>",
      "    Kill connection made from <ip:port>.",
      "KILL <option> <value> [<option> <value> [...]]",
      "    Kill connections. Options: ADDR, LADDR, TYPE, USER, SKIPME (yes|no), ID, MAXAGE.",
      "LIST [TYPE (NORMAL|MASTER|REPLICA|PUBSUB) | ID <id> [<id> ...]]",
      "    Return information about client connections.",
      "NO-EVICT (ON|OFF)",
      "    Protect current client connection from eviction; there is none.",
      "NO-TOUCH (ON|OFF)",
      "    Accepted; access times are not kept.",
      "PAUSE <timeout> [WRITE|ALL]",
      "    Suspend all, or just write, clients for <timeout> milliseconds.",
      "REPLY (ON|OFF|SKIP)",
      "    Control the replies sent to the current connection.",
      "SETINFO (LIB-NAME|LIB-VER) <value>",
      "    Tell which library the client is.",
      "SETNAME <name>",
      "    Assign the name <name> to the current connection.",
      "TRACKING (ON|OFF) [REDIRECT <id>] [BCAST] [PREFIX <prefix> [...]] [OPTIN] [OPTOUT] [NOLOOP]",
      "    Control server assisted client side caching.",
      "TRACKINGINFO",
      "    Report tracking status for the current connection.",
      "UNBLOCK <clientid> [TIMEOUT|ERROR]",
      "    Unblock the specified blocked client.",
      "UNPAUSE",
      "    Stop the current client pause, resuming traffic.",
  });
  WriteHelp(call.reply, "CLIENT", kLines);
  return {};
}

}  // namespace mayfly::server::admin
