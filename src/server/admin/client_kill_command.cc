// client_kill_command.cc - CLIENT KILL and its filters.
#include <fmt/format.h>

#include <chrono>

#include "server/admin/admin_handlers.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/session/client_line.h"

namespace mayfly::server::admin {
namespace {

struct KillFilter {
  std::optional<std::uint64_t> id;
  std::optional<Bytes> address;
  std::optional<Bytes> local_address;
  std::optional<Bytes> user;
  std::optional<ListedType> type;
  std::optional<std::chrono::seconds> age;  // And longer.
  bool skip_me = true;
};

Answer ParseKill(Server& server, std::span<const Bytes> options, KillFilter& filter) {
  if (options.size() % 2 != 0) return SyntaxError();
  for (std::size_t i = 0; i < options.size(); i += 2) {
    const Bytes value = options[i + 1];
    if (IsWord(options[i], "id")) {
      const auto id = IntegerArgument(value);
      if (!id || *id < 1) return Status::Invalid("client-id should be greater than 0");
      filter.id = static_cast<std::uint64_t>(*id);
    } else if (IsWord(options[i], "type")) {
      filter.type = ReadListedType(value);
      if (!filter.type) return Status::Invalid(fmt::format("Unknown client type '{}'", value));
    } else if (IsWord(options[i], "addr")) {
      filter.address = value;
    } else if (IsWord(options[i], "laddr")) {
      filter.local_address = value;
    } else if (IsWord(options[i], "user")) {
      filter.user = value;
      if (!server.authorizer().Knows(value)) {
        return Status::Invalid(fmt::format("No such user '{}'", value));
      }
    } else if (IsWord(options[i], "maxage")) {
      const auto seconds = IntegerArgument(value);
      if (!seconds) return Status::Invalid("maxage is not an integer or out of range");
      if (*seconds <= 0) return Status::Invalid("maxage should be greater than 0");
      filter.age = std::chrono::seconds(*seconds);
    } else if (IsWord(options[i], "skipme")) {
      filter.skip_me = IsWord(value, "yes");
      if (!filter.skip_me && !IsWord(value, "no")) return SyntaxError();
    } else {
      return SyntaxError();
    }
  }
  return {};
}

bool Matches(const KillFilter& filter, const Session& session, SteadyTime now) {
  const ClientInfo info = session.info();
  if (filter.id && session.origin().id != *filter.id) return false;
  if (filter.address && session.origin().address != *filter.address) return false;
  if (filter.local_address && session.origin().local_address != *filter.local_address) return false;
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - session.created());
  if (filter.age && age < *filter.age) return false;
  if (filter.user && info.user != *filter.user) return false;
  return !filter.type || TypeOfClient(info) == *filter.type;
}

}  // namespace

Answer ClientKill(Call& call) {
  const bool old_form = call.args.size() == 3;
  KillFilter filter;
  if (old_form) {
    filter.address = call.args[2];
    filter.skip_me = false;
  } else if (Answer parsed = ParseKill(ServerOf(call), call.args.subspan(2), filter);
             !parsed.ok()) {
    return parsed;
  }
  Session& me = SessionOf(call);
  const SteadyTime now = ServerOf(call).Steady();
  std::int64_t killed = 0;
  for (const auto& session : ServerOf(call).clients().All()) {
    if (!Matches(filter, *session, now)) continue;
    if (session.get() == &me) {
      if (filter.skip_me) continue;
      me.state().close_after_reply = true;
    } else {
      session->Kill();
    }
    ++killed;
  }
  if (!old_form) {
    call.reply.Integer(killed);
  } else if (killed > 0) {
    call.reply.Ok();
  } else {
    return Status::Invalid("No such client");
  }
  return {};
}

}  // namespace mayfly::server::admin
