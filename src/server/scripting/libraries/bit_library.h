// bit_library.h - the table `bit` of scripts: operations on 32 bits, as BitOp 1.0 documents them.
// Own code: Debian's BitOp writes past its buffer for bit.tohex(1, -2^31).
#pragma once

#include <lua.hpp>

namespace mayfly::server {

// Pushes the table, which can still be changed.
void PushBitLibrary(lua_State* lua);

}  // namespace mayfly::server
