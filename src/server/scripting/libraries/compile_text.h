// compile_text.h - the only way from text to a function of Lua.
// Lua 5.1's compiler was not made for hostile texts. So: no bytecode, which could name any place in
// memory; no collection while it works, since it holds strings that the collector does not see
// (CVE-2025-49844); no code of a script runs meanwhile; and a bound on the text, below which its
// counters do not overflow (CVE-2025-46819).
#pragma once

#include <lua.hpp>

#include "mayfly/bytes.h"

namespace mayfly::server {

// Pushes the function, or the message of what is wrong, and tells which. `text` must stay where it
// is; `name` ends with a byte of zero.
bool CompileText(lua_State* lua, Bytes text, const char* name);

// load() and loadstring() of scripts. What the reader of load() returns is put together first.
int Load(lua_State* lua);
int LoadString(lua_State* lua);

}  // namespace mayfly::server
