// transfer_commands.h - import and export: rows as JSON lines or CSV.
#pragma once

#include "apps/mayfly/cli/commands.h"

namespace mayfly::app {

void AddImport(Commands& commands);
void AddExport(Commands& commands);

}  // namespace mayfly::app
