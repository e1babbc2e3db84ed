// message_pack.h - values of Lua as MessagePack, and back: the table `cmsgpack` of scripts.
// As Redis has it: numbers without a fraction are integers, a table whose keys are 1 to n is an
// array, one at depth kMessagePackDepthMax is nil. Packages are not read deeper than JSON is.
// Debian's libraries for MessagePack do not serve: the one for C++ cannot be installed beside Boost
// 1.81, the one for C allocates as much as a package announces.
#pragma once

#include <lua.hpp>

namespace mayfly::server {

// Pushes the table, which can still be changed.
void PushMessagePack(lua_State* lua);

}  // namespace mayfly::server
