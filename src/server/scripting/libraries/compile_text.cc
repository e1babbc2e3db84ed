#include "server/scripting/libraries/compile_text.h"

#include "server/scripting/lua/limits.h"
#include "server/scripting/lua/lua_errors.h"

namespace mayfly::server {
namespace {

// The results of the two functions: the function, or nil and the reason.
int Loaded(lua_State* lua, bool compiled) {
  if (compiled) return 1;
  lua_pushnil(lua);
  lua_insert(lua, -2);
  return 2;
}

}  // namespace

bool CompileText(lua_State* lua, Bytes text, const char* name) {
  luaL_checkstack(lua, 4, "too many nested functions");
  if (text.starts_with(LUA_SIGNATURE[0])) {
    lua_pushliteral(lua, "attempt to load chunk with wrong mode");
    return false;
  }
  if (text.size() > kScriptTextBytesMax) {
    lua_pushliteral(lua, "script too large");
    return false;
  }
  lua_pushstring(lua, name);  // Lua interns strings: this holds the one the compiler makes.
  lua_gc(lua, LUA_GCSTOP, 0);
  const int status = luaL_loadbuffer(lua, text.data(), text.size(), name);
  lua_gc(lua, LUA_GCRESTART, 0);  // Scripts cannot stop it, so it was on.
  lua_remove(lua, -2);
  return status == 0;
}

int LoadString(lua_State* lua) {
  luaL_checkstring(lua, 1);
  const Bytes text = ToBytes(lua, 1);
  return Loaded(lua, CompileText(lua, text, luaL_optstring(lua, 2, text.data())));
}

int Load(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TFUNCTION);
  const char* const name = luaL_optstring(lua, 2, "=(load)");
  lua_settop(lua, 2);
  lua_newtable(lua);
  int pieces = 0;
  while (true) {
    lua_pushvalue(lua, 1);
    lua_call(lua, 0, 1);
    if (lua_isnil(lua, -1)) break;
    if (lua_isstring(lua, -1) == 0) luaL_error(lua, "reader function must return a string");
    if (ToBytes(lua, -1).empty()) break;
    lua_rawseti(lua, 3, ++pieces);
  }
  lua_settop(lua, 3);
  luaL_Buffer buffer;
  luaL_buffinit(lua, &buffer);
  for (int i = 1; i <= pieces; ++i) {
    lua_rawgeti(lua, 3, i);
    luaL_addvalue(&buffer);
  }
  luaL_pushresult(&buffer);
  return Loaded(lua, CompileText(lua, ToBytes(lua, 4), name));
}

}  // namespace mayfly::server
