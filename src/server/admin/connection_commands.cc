// connection_commands.cc - AUTH, HELLO, SELECT and other commands about the own connection.
#include <fmt/format.h>

#include "server/admin/admin_families.h"
#include "server/admin/admin_handlers.h"
#include "server/admin/redis_version.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"

namespace mayfly::server::admin {
namespace {

// What CLIENT SETNAME and HELLO SETNAME take.
bool IsClientName(Bytes name) {
  for (const char c : name) {
    if (c < '!' || c > '~') return false;
  }
  return true;
}

Status BadClientName() {
  return Status::Invalid("Client names cannot contain spaces, newlines or special characters.");
}

struct HelloOptions {
  std::optional<ProtocolVersion> version;
  const Bytes* user = nullptr;
  const Bytes* password = nullptr;
  const Bytes* name = nullptr;
};

Answer ParseHello(const Call& call, HelloOptions& options) {
  if (call.args.size() == 1) return {};
  const auto version = IntegerArgument(call.args[1]);
  if (!version) return Answer::Error("ERR Protocol version is not an integer or out of range");
  if (*version != 2 && *version != 3) {
    return Answer::Error("NOPROTO unsupported protocol version");
  }
  options.version = static_cast<ProtocolVersion>(*version);
  for (std::size_t i = 2; i < call.args.size(); ++i) {
    const std::size_t more = call.args.size() - 1 - i;
    if (IsWord(call.args[i], "auth") && more >= 2) {
      options.user = &call.args[i + 1];
      options.password = &call.args[i + 2];
      i += 2;
    } else if (IsWord(call.args[i], "setname") && more >= 1) {
      options.name = &call.args[++i];
      if (!IsClientName(*options.name)) return BadClientName();
    } else {
      return Answer::Error(fmt::format("ERR Syntax error in HELLO option '{}'", call.args[i]));
    }
  }
  return {};
}

void WriteHello(Server& server, Session& session, ReplyWriter& reply) {
  reply.Map(7);
  reply.Bulk("server");
  reply.Bulk("redis");
  reply.Bulk("version");
  reply.Bulk(kRedisVersion);
  reply.Bulk("proto");
  reply.Integer(static_cast<int>(session.state().version));
  reply.Bulk("id");
  reply.Integer(static_cast<std::int64_t>(session.origin().id));
  reply.Bulk("mode");
  reply.Bulk(server.cluster() != nullptr ? "cluster" : "standalone");
  reply.Bulk("role");
  reply.Bulk(server.follows ? "replica" : "master");
  reply.Bulk("modules");
  reply.Array(0);
}

}  // namespace

// Parses as ParseHello() does. An argument that it does not understand may be a password, too.
void HelloSecrets(std::span<const Bytes> args, std::vector<std::size_t>& positions) {
  for (std::size_t i = 2; i < args.size();) {
    if (IsWord(args[i], "setname")) {
      i += 2;
    } else if (IsWord(args[i], "auth")) {
      positions.insert(positions.end(), {i + 1, i + 2});
      i += 3;
    } else {
      positions.push_back(i++);
    }
  }
}

Answer Ping(Call& call) {
  if (call.args.size() > 2) return WrongArity("ping");
  Session& session = SessionOf(call);
  const bool subscribed = session.state().version == ProtocolVersion::kResp2 &&
                          session.extension().subscriptions().any();
  if (subscribed) {
    call.reply.Array(2);
    call.reply.Bulk("pong");
    call.reply.Bulk(call.args.size() == 2 ? call.args[1] : Bytes());
  } else if (call.args.size() == 2) {
    call.reply.Bulk(call.args[1]);
  } else {
    call.reply.SimpleString("PONG");
  }
  return {};
}

Answer Echo(Call& call) {
  call.reply.Bulk(call.args[1]);
  return {};
}

Answer Select(Call& call) {
  const auto number = IntegerArgument(call.args[1]);
  if (!number) return number.error();
  Server& server = ServerOf(call);
  if (server.cluster() != nullptr && *number != 0) {
    return Status::Invalid("SELECT is not allowed in cluster mode");
  }
  if (*number < 0 || *number >= server.databases().count()) {
    return Status::Invalid("DB index is out of range");
  }
  MAYFLY_RETURN_IF_ERROR(server.databases().Make(static_cast<int>(*number)));
  SessionOf(call).state().database = static_cast<int>(*number);
  call.reply.Ok();
  return {};
}

Answer Auth(Call& call) {
  if (call.args.size() > 3) return SyntaxError();
  Session& session = SessionOf(call);
  const Bytes* const name = call.args.size() == 3 ? &call.args[1] : nullptr;
  Answer answer = ServerOf(call).authorizer().Authenticate(
      name, call.args.back(), {call.args[0], session.Describe("auth")}, session.state().principal);
  if (answer.ok()) call.reply.Ok();
  return answer;
}

Answer Hello(Call& call) {
  Session& session = SessionOf(call);
  ClientState& state = session.state();
  HelloOptions options;
  if (Answer parsed = ParseHello(call, options); !parsed.ok()) return parsed;
  if (options.password != nullptr) {
    Answer known = ServerOf(call).authorizer().Authenticate(
        options.user, *options.password, {call.args[0], session.Describe("hello")},
        state.principal);
    if (!known.ok()) return known;
  }
  if (state.principal == nullptr) {
    return Answer::Error(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "
        "<proto> AUTH <user> <pass> option can be used to authenticate the client and select the "
        "RESP protocol version at the same time");
  }
  if (options.name != nullptr) state.name = std::string(*options.name);
  if (!options.version || *options.version == state.version) {
    WriteHello(ServerOf(call), session, call.reply);
    return {};
  }
  // The reply is in the protocol version it announces.
  state.version = *options.version;
  OutputBuffer unwanted;
  ReplyWriter reply(state.replies == ReplyMode::kOn ? session.out() : unwanted, state.version);
  WriteHello(ServerOf(call), session, reply);
  return {};
}

Answer Reset(Call& call) {
  SessionOf(call).Reset();
  call.reply.SimpleString("RESET");
  return {};
}

Answer Quit(Call& call) {
  call.reply.Ok();
  SessionOf(call).state().close_after_reply = true;
  return {};
}

Answer ClientSetName(Call& call) {
  if (!IsClientName(call.args[2])) return BadClientName();
  SessionOf(call).state().name = std::string(call.args[2]);
  call.reply.Ok();
  return {};
}

Answer ClientSetInfo(Call& call) {
  ClientState& state = SessionOf(call).state();
  const bool is_name = IsWord(call.args[2], "lib-name");
  if (!is_name && !IsWord(call.args[2], "lib-ver")) {
    return Status::Invalid(fmt::format("Unrecognized option '{}'", call.args[2]));
  }
  if (!IsClientName(call.args[3])) {
    return Status::Invalid(fmt::format("{} cannot contain spaces, newlines or special characters.",
                                       is_name ? "lib-name" : "lib-ver"));
  }
  (is_name ? state.library_name : state.library_version) = std::string(call.args[3]);
  call.reply.Ok();
  return {};
}

}  // namespace mayfly::server::admin
