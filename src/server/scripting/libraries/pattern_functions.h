// pattern_functions.h - find, match, gmatch and gsub of the table `string` of scripts.
#pragma once

#include <lua.hpp>

namespace mayfly::server {

// Replaces Lua's own in the table at `strings`.
void ReplacePatternFunctions(lua_State* lua, int strings);

}  // namespace mayfly::server
