// lua_errors.h - errors as scripts see them: a table whose field `err` is an error line.
#pragma once

#include <lua.hpp>
#include <string>
#include <string_view>

#include "mayfly/bytes.h"

namespace mayfly::server {

// Raises the line, such as "ERR wrong number of arguments". Does not return.
[[noreturn]] void RaiseError(lua_State* lua, Bytes line);

// Raises the text as Lua's own functions do, with no position before it. Does not return.
[[noreturn]] void RaiseText(lua_State* lua, const char* text);

// Pushes the table. `counted`: the statistics have counted the error already.
void PushError(lua_State* lua, Bytes line, bool counted = false);

// Whether the value is such a table; and whether its error is counted.
bool IsError(lua_State* lua, int index);
bool IsCountedError(lua_State* lua, int index);

// The line of such a table.
std::string ErrorLine(lua_State* lua, int index);

// A message handler of lua_pcall(): leaves the error line for what a script raised, a string that
// begins with a code word and ends with the position. Upvalue 1 is the name of the script.
int DescribeError(lua_State* lua);

// pcall() of scripts: an error of redis.call() arrives as its line, as it did before Redis 7.
int ProtectedCall(lua_State* lua);

inline void PushBytes(lua_State* lua, Bytes bytes) {
  lua_pushlstring(lua, bytes.data(), bytes.size());
}

// Of a string or number.
inline Bytes ToBytes(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* const data = lua_tolstring(lua, index, &size);
  return {data, size};
}

}  // namespace mayfly::server
