// read_only_tables.h - tables that scripts can read and not change.
// Lua 5.1 has none, so a script gets an empty proxy whose metatable reads from the real table and
// refuses to write. The functions that bypass metatables (rawset, next, table.insert, ...) are
// replaced by ones that know proxies; the real table is never handed out.
#pragma once

#include <lua.hpp>

namespace mayfly::server {

// Replaces the table on top of the stack by its proxy.
void MakeReadOnly(lua_State* lua);

// Whether the value is a proxy; if so, pushes the real table.
bool PushRealTable(lua_State* lua, int index);

// Raises an error if the value is a proxy: for functions that bypass metatables.
void CheckWritable(lua_State* lua, int index);

// Replaces those functions, but table.insert (guarded_functions.h), in the table of globals at
// `globals`, which has Lua's own. Its `table` is changed as well.
void ReplaceRawFunctions(lua_State* lua, int globals);

}  // namespace mayfly::server
