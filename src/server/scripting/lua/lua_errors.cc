#include "server/scripting/lua/lua_errors.h"

#include <fmt/format.h>

#include <cstdlib>

#include "server/scripting/lua/lua_state.h"

namespace mayfly::server {
namespace {

constexpr const char* kCounted = "ignore_error_stats_update";  // Redis' name.

// As tostring(), ignoring metatables.
std::string TextOf(lua_State* lua, int index) {
  switch (lua_type(lua, index)) {
    case LUA_TNIL: return "nil";
    case LUA_TBOOLEAN: return lua_toboolean(lua, index) != 0 ? "true" : "false";
    case LUA_TNUMBER:
      lua_pushvalue(lua, index);
      {
        std::string text(ToBytes(lua, -1));
        lua_pop(lua, 1);
        return text;
      }
    case LUA_TSTRING: return std::string(ToBytes(lua, index));
    default: return luaL_typename(lua, index);
  }
}

// Pushes a field of the table, ignoring metatables.
void PushField(lua_State* lua, int index, const char* name) {
  lua_pushvalue(lua, index);
  lua_pushstring(lua, name);
  lua_rawget(lua, -2);
  lua_remove(lua, -2);
}

}  // namespace

bool IsError(lua_State* lua, int index) {
  if (!lua_istable(lua, index)) return false;
  PushField(lua, index, "err");
  const bool is_error = lua_type(lua, -1) == LUA_TSTRING;
  lua_pop(lua, 1);
  return is_error;
}

bool IsCountedError(lua_State* lua, int index) {
  if (!IsError(lua, index)) return false;
  PushField(lua, index, kCounted);
  const bool counted = lua_toboolean(lua, -1) != 0;
  lua_pop(lua, 1);
  return counted;
}

std::string ErrorLine(lua_State* lua, int index) {
  PushField(lua, index, "err");
  std::string line(ToBytes(lua, -1));
  lua_pop(lua, 1);
  return line;
}

void RaiseError(lua_State* lua, Bytes line) {
  PushError(lua, line);
  lua_error(lua);
  std::abort();  // lua_error() does not return, and is not declared so.
}

void RaiseText(lua_State* lua, const char* text) {
  lua_pushstring(lua, text);
  lua_error(lua);
  std::abort();
}

void PushError(lua_State* lua, Bytes line, bool counted) {
  lua_createtable(lua, 0, 2);
  PushBytes(lua, line);
  lua_setfield(lua, -2, "err");
  if (!counted) return;
  lua_pushboolean(lua, 1);
  lua_setfield(lua, -2, kCounted);
}

int DescribeError(lua_State* lua) {
  std::string line = "ERR unknown error";
  if (IsError(lua, 1)) {
    line = ErrorLine(lua, 1);
  } else if (!lua_istable(lua, 1)) {
    line = "ERR " + TextOf(lua, 1);
  }
  LuaState::Of(lua).job->error_counted = IsCountedError(lua, 1);
  lua_Debug where;
  // Level 0 is this function. A C function has no lines: then take its caller's.
  bool known = lua_getstack(lua, 1, &where) != 0 && lua_getinfo(lua, "Sl", &where) != 0;
  if (known && *where.what == 'C') {
    known = lua_getstack(lua, 2, &where) != 0 && lua_getinfo(lua, "Sl", &where) != 0;
  }
  line += fmt::format(" script: {}", ToBytes(lua, lua_upvalueindex(1)));
  if (known) line += fmt::format(", on {}:{}.", where.source, where.currentline);
  PushBytes(lua, line);
  return 1;
}

int ProtectedCall(lua_State* lua) {
  luaL_checkany(lua, 1);
  const int failed = lua_pcall(lua, lua_gettop(lua) - 1, LUA_MULTRET, 0);
  if (failed != 0 && lua_istable(lua, -1)) {
    lua_pushliteral(lua, "err");
    lua_rawget(lua, -2);
    if (lua_type(lua, -1) == LUA_TSTRING) {
      lua_replace(lua, -2);
    } else {
      lua_pop(lua, 1);
    }
  }
  lua_pushboolean(lua, failed == 0 ? 1 : 0);
  lua_insert(lua, 1);
  return lua_gettop(lua);
}

}  // namespace mayfly::server
