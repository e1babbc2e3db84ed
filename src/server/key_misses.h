// key_misses.h - the notification of class m: a command wants to read a key that is not there.
#pragma once

#include "server/command.h"

namespace mayfly::server {

// Before the handler runs: afterwards the key may be there. Costs nothing unless somebody listens.
void TellOfMisses(const CommandSpec& spec, const Call& call);

}  // namespace mayfly::server
