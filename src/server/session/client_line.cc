#include "server/session/client_line.h"

#include <fmt/format.h>

#include "server/command/arguments.h"

namespace mayfly::server::admin {
namespace {

// Redis' letters.
std::string FlagsOf(const Session& session, const ClientInfo& info) {
  std::string flags;
  if (info.monitors) flags += 'O';
  if (info.follows) flags += 'S';
  if (info.subscriptions.any()) flags += 'P';
  if (info.tracking) flags += 't';
  if (info.tracking_broken) flags += 'R';
  if (info.tracking_broadcast) flags += 'B';
  if (info.queued >= 0) flags += 'x';
  if (info.blocked) flags += 'b';
  if (info.closing) flags += 'c';
  if (session.origin().unix_socket) flags += 'U';
  if (info.no_evict) flags += 'e';
  if (info.no_touch) flags += 'T';
  return flags.empty() ? "N" : flags;
}

std::int64_t Seconds(SteadyTime begin, SteadyTime end) {
  return std::chrono::duration_cast<std::chrono::seconds>(end - begin).count();
}

}  // namespace

std::string ClientLine(const Session& session, SteadyTime now, std::string_view command) {
  const ClientInfo info = session.info();
  const ClientOrigin& origin = session.origin();
  if (command.empty()) {
    command =
        info.last_command != nullptr ? std::string_view(info.last_command->full_name) : "NULL";
  }
  const BufferBytes& buffers = info.buffers;
  return fmt::format(
      "id={} addr={} laddr={} fd={} name={} age={} idle={} flags={} db={} sub={} psub={} ssub={} "
      "multi={} qbuf={} qbuf-free={} argv-mem={} multi-mem={} rbs={} rbp={} obl={} oll={} omem={} "
      "tot-mem={} events={} cmd={} user={} redir={} resp={} lib-name={} lib-ver={}",
      origin.id, origin.address, origin.local_address, origin.descriptor, info.name,
      Seconds(session.created(), now), Seconds(info.last_active, now), FlagsOf(session, info),
      info.database, info.subscriptions.channels, info.subscriptions.patterns,
      info.subscriptions.shard_channels, info.queued, buffers.input, buffers.input_room, 0,
      info.queued_bytes, buffers.output + buffers.output_room, 0, buffers.output, 0, buffers.output,
      info.memory_bytes(), buffers.output > 0 ? "rw" : "r", command, info.user, info.redirect,
      info.protocol, info.library_name, info.library_version);
}

std::optional<ListedType> ReadListedType(Bytes text) {
  if (IsWord(text, "normal")) return ListedType::kNormal;
  if (IsWord(text, "replica") || IsWord(text, "slave")) return ListedType::kReplica;
  if (IsWord(text, "pubsub")) return ListedType::kPubSub;
  if (IsWord(text, "master")) return ListedType::kMaster;
  return std::nullopt;
}

ListedType TypeOfClient(const ClientInfo& info) {
  if (info.follows) return ListedType::kReplica;
  return info.subscriptions.any() ? ListedType::kPubSub : ListedType::kNormal;
}

}  // namespace mayfly::server::admin
