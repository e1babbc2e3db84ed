// info_counters.h - the sections of INFO that count: commands, errors, latencies, keys, mayfly's
// own.
#pragma once

#include <string>

#include "server/server.h"

namespace mayfly::server::own {

std::string StatsSection(Server& server);
std::string CommandStatsSection(Server& server);
std::string ErrorStatsSection(Server& server);
std::string LatencyStatsSection(Server& server);
std::string KeyspaceSection(Server& server);
std::string MayflySection(Server& server);

}  // namespace mayfly::server::own
