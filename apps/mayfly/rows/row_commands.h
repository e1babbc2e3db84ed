// row_commands.h - get, put, del, expire, ttl, scan and count.
#pragma once

#include "apps/mayfly/cli/commands.h"

namespace mayfly::app {

void AddRowCommands(Commands& commands);

}  // namespace mayfly::app
