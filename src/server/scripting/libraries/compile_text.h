// compile_text.h - the only function that compiles Lua text.
// Lua 5.1's compiler was not made for hostile texts. So: no bytecode, which could name any address
// in memory; no collection while it runs, since it holds strings that the collector does not see
// (CVE-2025-49844); no code of a script runs meanwhile; and a bound on the text, below which its
// counters do not overflow (CVE-2025-46819).
#pragma once

#include <lua.hpp>

#include "mayfly/bytes.h"

namespace mayfly::server {

// Pushes the function and returns true, or pushes the error message. `text` must stay in place;
// `name` ends with a zero byte.
bool CompileText(lua_State* lua, Bytes text, const char* name);

// load() and loadstring() of scripts. The pieces that the reader of load() returns are joined
// first.
int Load(lua_State* lua);
int LoadString(lua_State* lua);

}  // namespace mayfly::server
