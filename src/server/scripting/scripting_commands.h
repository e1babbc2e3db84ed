// scripting_commands.h - the family of commands on scripts.
#pragma once

#include "server/command/command.h"

namespace mayfly::server {

// EVAL and its like begin with a latched transaction on the keys they name. A script that uses
// others, as many libraries' do, or that takes long, is rolled back and runs again with a latched
// transaction on all keys; one without keys does so at once. Functions (FUNCTION, FCALL) are
// answered with an error: they are not offered.
CommandFamily ScriptingFamily();

}  // namespace mayfly::server
