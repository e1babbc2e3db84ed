// upkeep_commands.h - backup, restore, check and prove.
#pragma once

#include "apps/mayfly/cli/commands.h"

namespace mayfly::app {

void AddBackup(Commands& commands);
void AddRestore(Commands& commands);
void AddCheck(Commands& commands);
void AddProve(Commands& commands);

// Prints the places that could not be read. True if there are none.
Result<bool> PrintDamage(const Database& database, const OutputFlags& flags);

}  // namespace mayfly::app
