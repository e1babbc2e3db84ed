// guarded_functions.h - bounded replacements for functions of Lua's own libraries with which a
// script could end the process or block its thread.
#pragma once

#include <lua.hpp>

namespace mayfly::server {

// Replaces them in the table of globals at `globals`, which has Lua's own.
void ReplaceUnguardedFunctions(lua_State* lua, int globals);

}  // namespace mayfly::server
