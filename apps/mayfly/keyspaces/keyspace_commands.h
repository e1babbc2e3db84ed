// keyspace_commands.h - keyspace list, create, drop and policy.
#pragma once

#include "apps/mayfly/cli/commands.h"

namespace mayfly::app {

void AddKeyspaceCommands(Commands& commands);

}  // namespace mayfly::app
