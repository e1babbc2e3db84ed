// serve_command.h - the flags of `mayfly serve`: one per setting.
#pragma once

#include <string>

#include "apps/mayfly/cli/commands.h"

namespace mayfly::app {

void AddServe(Commands& commands, const std::string& version);

}  // namespace mayfly::app
