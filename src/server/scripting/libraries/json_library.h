// json_library.h - the table `cjson` of scripts: values of Lua as JSON, and back.
// As lua-cjson 2.1 documents it, with the texts of its errors. Own code: lua-cjson allocates
// outside of Lua's bound, leaks when Lua runs out of memory, and aborts the process when there is
// none.
#pragma once

#include <lua.hpp>

namespace mayfly::server {

// Pushes the table, which can still be changed.
void PushJsonLibrary(lua_State* lua);

}  // namespace mayfly::server
