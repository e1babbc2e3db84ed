// data_families.h - the families of all commands on data.
#pragma once

#include <vector>

#include "server/command/command.h"

namespace mayfly::server {

std::vector<CommandFamily> DataFamilies();

}  // namespace mayfly::server
