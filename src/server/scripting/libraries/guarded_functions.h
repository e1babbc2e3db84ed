// guarded_functions.h - functions of Lua's own libraries that a script could end the process or
// hold its thread with, as they are offered instead: the same, within bounds.
#pragma once

#include <lua.hpp>

namespace mayfly::server {

// Replaces them in the table of globals at `globals`, which has Lua's own.
void ReplaceUnguardedFunctions(lua_State* lua, int globals);

}  // namespace mayfly::server
