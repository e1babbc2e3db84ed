// lua_libraries.h - the sandbox of scripts: the part of Lua they can use.
// Nothing in it reads files, loads code from elsewhere, takes bytecode or reaches another script's
// values. Globals can be read, not created; libraries cannot be changed.
#pragma once

#include <lua.hpp>
#include <string_view>

namespace mayfly::server {

// Fills an empty state. `version` is what redis.REDIS_VERSION shows. Call it within lua_cpcall().
void OpenLibraries(lua_State* lua, std::string_view version);

// Gives the table on top of the stack a metatable that refuses reads of fields it does not have.
void RefuseMissingFields(lua_State* lua);

// What code sees as its globals from now on: the table on top of the stack, which is popped; and
// again those of OpenLibraries().
void ShowGlobals(lua_State* lua);
void ShowOwnGlobals(lua_State* lua);

// Gives a run its globals KEYS and ARGV: the two tables on top of the stack, which it pops.
// Two nils: it has none.
void SetKeysAndArguments(lua_State* lua);

// Resets what a run may have changed: the settings of cjson.
void ResetLibraries(lua_State* lua);

}  // namespace mayfly::server
