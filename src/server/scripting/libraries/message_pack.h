// message_pack.h - values of Lua as MessagePack, and back: the table `cmsgpack` of scripts.
// As Redis has it: numbers without a fraction are integers, a table whose keys are 1 to n is an
// array, one at depth kMessagePackDepthMax is nil. Packages are not read deeper than JSON is.
// Why no library does it: docs/decisions/0002-dependencies.md.
#pragma once

#include <lua.hpp>

namespace mayfly::server {

// Pushes the table, which can still be changed.
void PushMessagePack(lua_State* lua);

}  // namespace mayfly::server
