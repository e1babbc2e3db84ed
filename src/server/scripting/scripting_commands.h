// scripting_commands.h - the family of commands on scripts.
#pragma once

#include "server/command.h"

namespace mayfly::server {

// EVAL and its like get a work on everything: a script names its keys, and may use others.
// Functions (FUNCTION, FCALL) are answered with an error: they are not offered.
CommandFamily ScriptingFamily();

}  // namespace mayfly::server
