// info_counters.h - the sections of INFO with counters: commands, errors, latencies, keys, mayfly's
// own.
#pragma once

#include <string>

#include "server/admin/info_source.h"

namespace mayfly::server::admin {

std::string StatsSection(InfoSource& source);
std::string CommandStatsSection(InfoSource& source);
std::string ErrorStatsSection(InfoSource& source);
std::string LatencyStatsSection(InfoSource& source);
std::string KeyspaceSection(InfoSource& source);
std::string MayflySection(InfoSource& source);

}  // namespace mayfly::server::admin
