// scripting_commands.h - the family of commands on scripts.
#pragma once

#include "server/command/command.h"

namespace mayfly::server {

// EVAL and its like are begun with a latched transaction on the keys they name. A script that uses
// others, as many libraries' do, or that takes long, is taken back unseen and run again with a
// latched transaction on everything; one without keys is run so at once. Functions (FUNCTION,
// FCALL) are answered with an error: they are not offered.
CommandFamily ScriptingFamily();

}  // namespace mayfly::server
