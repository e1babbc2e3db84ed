// function_commands.h - FCALL and FCALL_RO, and the subcommands of FUNCTION.
#pragma once

#include "server/command/command.h"

namespace mayfly::server {

// FCALL and its like; their transactions hold the row of the libraries (library_rows.h) beside the
// keys of the call.
CommandFamily FunctionFamily();

// FUNCTION.
CommandFamily LibraryFamily();

}  // namespace mayfly::server
