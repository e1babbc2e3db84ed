// live_commands.h - top and bench: what a database does now, and what a machine can do.
#pragma once

#include "apps/mayfly/cli/commands.h"

namespace mayfly::app {

void AddTop(Commands& commands);
void AddBench(Commands& commands);

}  // namespace mayfly::app
