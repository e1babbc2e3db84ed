// expiry_commands.h - forecast, events, stats, purge and compact.
#pragma once

#include "apps/mayfly/cli/commands.h"

namespace mayfly::app {

void AddForecast(Commands& commands);
void AddEvents(Commands& commands);
void AddStats(Commands& commands);
void AddPurge(Commands& commands);
void AddCompact(Commands& commands);

}  // namespace mayfly::app
