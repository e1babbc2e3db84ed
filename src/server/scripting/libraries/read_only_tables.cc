#include "server/scripting/libraries/read_only_tables.h"

#include "server/scripting/lua/lua_errors.h"

namespace mayfly::server {
namespace {

constexpr const char* kRefusal = "Attempt to modify a readonly table";
constexpr const char* kRealTables = "mayfly.real_tables";  // In the registry: proxy -> real.

void PushRealTables(lua_State* lua) {
  lua_getfield(lua, LUA_REGISTRYINDEX, kRealTables);
  if (!lua_isnil(lua, -1)) return;
  lua_pop(lua, 1);
  lua_newtable(lua);
  lua_createtable(lua, 0, 1);
  lua_pushliteral(lua, "k");  // Weak keys: unreferenced proxies leave it.
  lua_setfield(lua, -2, "__mode");
  lua_setmetatable(lua, -2);
  lua_pushvalue(lua, -1);
  lua_setfield(lua, LUA_REGISTRYINDEX, kRealTables);
}

// __newindex of proxies.
int Refuse(lua_State* lua) { return luaL_error(lua, kRefusal); }

// Runs Lua's own function, upvalue 1, in this very call, so that its errors name it rightly.
int RunOriginal(lua_State* lua) { return lua_tocfunction(lua, lua_upvalueindex(1))(lua); }

// For functions that would write to their first argument.
int WriteFirst(lua_State* lua) {
  CheckWritable(lua, 1);
  return RunOriginal(lua);
}

// For functions that only read it.
int ReadFirst(lua_State* lua) {
  if (PushRealTable(lua, 1)) lua_replace(lua, 1);
  return RunOriginal(lua);
}

// pairs(): upvalue 1 is the original next(), upvalue 2 the one that knows proxies. It iterates over
// the proxy, so that the real table does not show.
int Pairs(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  const bool stands_in = PushRealTable(lua, 1);
  lua_pushvalue(lua, lua_upvalueindex(stands_in ? 2 : 1));
  lua_pushvalue(lua, 1);
  lua_pushnil(lua);
  return 3;
}

void Replace(lua_State* lua, int table, const char* name, lua_CFunction by) {
  lua_getfield(lua, table, name);
  lua_pushcclosure(lua, by, 1);
  lua_setfield(lua, table, name);
}

}  // namespace

void MakeReadOnly(lua_State* lua) {
  const int real = lua_gettop(lua);
  lua_newtable(lua);  // The proxy.
  lua_createtable(lua, 0, 3);
  lua_pushvalue(lua, real);
  lua_setfield(lua, -2, "__index");
  lua_pushcfunction(lua, Refuse);
  lua_setfield(lua, -2, "__newindex");
  // The result of getmetatable(): itself a read-only, empty table.
  lua_newtable(lua);
  lua_createtable(lua, 0, 2);
  lua_pushcfunction(lua, Refuse);
  lua_setfield(lua, -2, "__newindex");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  lua_setmetatable(lua, -2);
  PushRealTables(lua);
  lua_pushvalue(lua, -2);
  lua_newtable(lua);
  lua_rawset(lua, -3);
  lua_pop(lua, 1);
  lua_setfield(lua, -2, "__metatable");
  lua_setmetatable(lua, -2);
  PushRealTables(lua);
  lua_pushvalue(lua, -2);
  lua_pushvalue(lua, real);
  lua_rawset(lua, -3);
  lua_pop(lua, 1);
  lua_replace(lua, real);
}

bool PushRealTable(lua_State* lua, int index) {
  if (!lua_istable(lua, index) || lua_getmetatable(lua, index) == 0) return false;
  lua_pop(lua, 1);
  if (index < 0) index = lua_gettop(lua) + index + 1;
  PushRealTables(lua);
  lua_pushvalue(lua, index);
  lua_rawget(lua, -2);
  lua_remove(lua, -2);
  if (lua_istable(lua, -1)) return true;
  lua_pop(lua, 1);
  return false;
}

void CheckWritable(lua_State* lua, int index) {
  if (PushRealTable(lua, index)) RaiseText(lua, kRefusal);
}

void ReplaceRawFunctions(lua_State* lua, int globals) {
  Replace(lua, globals, "rawset", WriteFirst);
  Replace(lua, globals, "setmetatable", WriteFirst);
  Replace(lua, globals, "rawget", ReadFirst);
  lua_getfield(lua, globals, "next");
  Replace(lua, globals, "next", ReadFirst);
  lua_getfield(lua, globals, "next");
  lua_pushcclosure(lua, Pairs, 2);
  lua_setfield(lua, globals, "pairs");

  lua_getfield(lua, globals, "table");
  const int table = lua_gettop(lua);
  for (const char* const name : {"remove", "sort", "setn"}) {
    Replace(lua, table, name, WriteFirst);
  }
  for (const char* const name : {"foreach", "foreachi", "concat", "getn", "maxn"}) {
    Replace(lua, table, name, ReadFirst);
  }
  lua_pop(lua, 1);
}

}  // namespace mayfly::server
