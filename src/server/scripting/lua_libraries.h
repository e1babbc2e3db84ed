// lua_libraries.h - the world a script lives in: what of Lua it can use, and no way out.
// There is nothing that reads files, loads code from elsewhere, takes bytecode or reaches another
// script's values. Globals can be read, not made; libraries cannot be changed.
#pragma once

#include <lua.hpp>
#include <string_view>

namespace mayfly::server {

// Fills an empty state. `version` is what redis.REDIS_VERSION shows. To be called within
// lua_cpcall().
void OpenLibraries(lua_State* lua, std::string_view version);

// Gives a run its globals KEYS and ARGV: the two tables on top of the stack, which it takes off.
void SetKeysAndArguments(lua_State* lua);

// Puts back what a run may have changed: the settings of cjson.
void ResetLibraries(lua_State* lua);

}  // namespace mayfly::server
