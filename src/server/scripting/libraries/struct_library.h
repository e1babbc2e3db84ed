// struct_library.h - the table `struct` of scripts: values of Lua as the bytes of a C struct.
// As Redis offers it: struct.pack(format, ...), struct.unpack(format, bytes [, position]) and
// struct.size(format). A format is a row of these:
//   <  >  little or big endian from here on       !n  alignment, a power of 2; without n: 8
//   b B  h H  l L  T  bytes, shorts, longs, sizes   in In  integers of n bytes, 4 without n
//   f d  float, double    s  up to a NUL     x  one byte of padding     blank  nothing
//   cn   n bytes, 1 without n; c0: as many as the string has, or as the value before says
#pragma once

#include <lua.hpp>

namespace mayfly::server {

// Pushes the table, which can still be changed.
void PushStructLibrary(lua_State* lua);

}  // namespace mayfly::server
