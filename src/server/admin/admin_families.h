// admin_families.h - the commands that are about the server and its clients, not about data.
#pragma once

#include <vector>

#include "server/command/command.h"

namespace mayfly::server {

// Their handlers are in this folder, one file per topic.
std::vector<CommandFamily> AdminFamilies();

}  // namespace mayfly::server
