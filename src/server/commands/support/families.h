// families.h - the families of commands on data.
// Nothing registers itself at static initialisation, where the linker may drop it unseen.
#pragma once

#include "server/command/command.h"

namespace mayfly::server {

// Each is declared here, defined in its file, and named once more in data_families.cc.
CommandFamily HashFamily();
CommandFamily ListFamily();
CommandFamily StringFamily();
CommandFamily BitmapFamily();
CommandFamily KeyFamily();
CommandFamily ObjectFamily();
CommandFamily ExpiryFamily();
CommandFamily TtlFamily();
CommandFamily SetFamily();
CommandFamily SortedSetFamily();
CommandFamily StreamFamily();
CommandFamily HyperLogLogFamily();
CommandFamily GeoFamily();

}  // namespace mayfly::server
