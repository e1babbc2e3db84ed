// shell_command.h - `mayfly shell`: commands of the Redis protocol, typed.
#pragma once

#include "apps/mayfly/cli/commands.h"

namespace mayfly::app {

void AddShell(Commands& commands);

}  // namespace mayfly::app
