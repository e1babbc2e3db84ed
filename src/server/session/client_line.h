// client_line.h - a client as CLIENT LIST shows it.
#pragma once

#include <optional>
#include <string>

#include "mayfly/bytes.h"
#include "server/session/server.h"
#include "server/session/session.h"

namespace mayfly::server::admin {

// One line, without its end. `command`: the one it runs; empty: the one it ran last.
std::string ClientLine(const Session& session, SteadyTime now, std::string_view command = {});

// "normal", "pubsub", "replica" and "master", as CLIENT LIST TYPE takes them.
enum class ListedType : std::uint8_t { kNormal, kReplica, kPubSub, kMaster };
std::optional<ListedType> ReadListedType(Bytes text);
ListedType TypeOfClient(const ClientInfo& info);

}  // namespace mayfly::server::admin
