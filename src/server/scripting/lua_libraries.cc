#include "server/scripting/lua_libraries.h"

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "server/scripting/libraries/bit_library.h"
#include "server/scripting/libraries/guarded_functions.h"
#include "server/scripting/libraries/json_library.h"
#include "server/scripting/libraries/message_pack.h"
#include "server/scripting/libraries/read_only_tables.h"
#include "server/scripting/libraries/struct_library.h"
#include "server/scripting/lua/limits.h"
#include "server/scripting/lua/lua_errors.h"
#include "server/scripting/lua/lua_state.h"
#include "server/scripting/redis_library.h"

namespace mayfly::server {
namespace {

constexpr const char* kGlobals = "mayfly.globals";  // In the registry: the real table of globals.

// The functions of Lua that are offered. Left out: dofile, loadfile, print, require, module,
// package, io, debug; getfenv and setfenv, which reach other functions' globals; newproxy, whose
// finalizers would run in another script.
constexpr const char* kOffered[] = {
    "_VERSION", "assert", "coroutine", "error",    "gcinfo", "ipairs", "getmetatable",
    "math",     "next",   "pairs",     "rawequal", "rawget", "rawset", "select",
    "string",   "table",  "tonumber",  "tostring", "type",   "xpcall", "setmetatable",
};
constexpr const char* kLibraries[] = {"bit", "cjson", "cmsgpack", "coroutine", "math",
                                      "os",  "redis", "string",   "struct",    "table"};

int MissingGlobal(lua_State* lua) {
  const char* const name = lua_tostring(lua, 2);
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    name == nullptr ? "?" : name);
}

// math.random() by the generator of the standard library's rand48 family, which is Redis'.
int DrawRandom(lua_State* lua) {
  constexpr long kLast = 0x7fffffff;
  const long drawn = nrand48(LuaState::Of(lua).random.data());
  const double r = static_cast<double>(drawn % kLast) / static_cast<double>(kLast);
  switch (lua_gettop(lua)) {
    case 0: lua_pushnumber(lua, r); return 1;
    case 1: {
      const int last = luaL_checkint(lua, 1);
      luaL_argcheck(lua, 1 <= last, 1, "interval is empty");
      lua_pushnumber(lua, std::floor(r * last) + 1);
      return 1;
    }
    case 2: {
      const int first = luaL_checkint(lua, 1);
      const int last = luaL_checkint(lua, 2);
      luaL_argcheck(lua, first <= last, 2, "interval is empty");
      lua_pushnumber(lua, std::floor(r * (static_cast<double>(last) - first + 1)) + first);
      return 1;
    }
    default: return luaL_error(lua, "wrong number of arguments");
  }
}

void SeedRandom(LuaState& state, std::uint32_t seed) {
  state.random = {0x330e, static_cast<unsigned short>(seed & 0xffff),
                  static_cast<unsigned short>(seed >> 16)};
}

int SetRandomSeed(lua_State* lua) {
  SeedRandom(LuaState::Of(lua), static_cast<std::uint32_t>(luaL_checkint(lua, 1)));
  return 0;
}

void OpenLuaLibraries(lua_State* lua) {
  for (const lua_CFunction open :
       {luaopen_base, luaopen_table, luaopen_string, luaopen_math, luaopen_os}) {
    lua_pushcfunction(lua, open);
    lua_call(lua, 0, 0);
  }
}

// Pushes the new table of globals, with libraries that can still be changed.
void PushOffered(lua_State* lua) {
  lua_newtable(lua);
  const int globals = lua_gettop(lua);
  for (const char* const name : kOffered) {
    lua_getglobal(lua, name);
    lua_setfield(lua, globals, name);
  }
  lua_newtable(lua);
  lua_getglobal(lua, "os");
  lua_getfield(lua, -1, "clock");
  lua_setfield(lua, -3, "clock");
  lua_pop(lua, 1);
  lua_setfield(lua, globals, "os");
  lua_getfield(lua, globals, "math");
  lua_pushcfunction(lua, DrawRandom);
  lua_setfield(lua, -2, "random");
  lua_pushcfunction(lua, SetRandomSeed);
  lua_setfield(lua, -2, "randomseed");
  lua_pop(lua, 1);
  ReplaceUnguardedFunctions(lua, globals);
  ReplaceRawFunctions(lua, globals);
}

// ("x"):len() goes through the metatable of strings.
void ProtectStrings(lua_State* lua, int globals) {
  lua_pushliteral(lua, "");
  lua_getmetatable(lua, -1);
  lua_getfield(lua, globals, "string");
  lua_setfield(lua, -2, "__index");
  lua_newtable(lua);
  lua_getfield(lua, globals, "string");
  lua_setfield(lua, -2, "__index");
  MakeReadOnly(lua);
  lua_setfield(lua, -2, "__metatable");
  lua_pop(lua, 2);
}

}  // namespace

void OpenLibraries(lua_State* lua, std::string_view version) {
  OpenLuaLibraries(lua);
  PushOffered(lua);
  const int globals = lua_gettop(lua);
  PushRedisLibrary(lua, version);
  lua_setfield(lua, globals, "redis");
  PushBitLibrary(lua);
  lua_setfield(lua, globals, "bit");
  PushJsonLibrary(lua);
  lua_setfield(lua, globals, "cjson");
  PushMessagePack(lua);
  lua_setfield(lua, globals, "cmsgpack");
  PushStructLibrary(lua);
  lua_setfield(lua, globals, "struct");
  for (const char* const name : kLibraries) {
    lua_getfield(lua, globals, name);
    MakeReadOnly(lua);
    lua_setfield(lua, globals, name);
  }
  ProtectStrings(lua, globals);
  RefuseMissingFields(lua);
  lua_pushvalue(lua, globals);
  lua_setfield(lua, LUA_REGISTRYINDEX, kGlobals);
  lua_pushvalue(lua, globals);
  MakeReadOnly(lua);
  lua_pushvalue(lua, -1);
  lua_setfield(lua, globals, "_G");
  lua_replace(lua, LUA_GLOBALSINDEX);
  lua_pop(lua, 1);
  lua_gc(lua, LUA_GCSETPAUSE, kCollectorPausePercent);
  lua_gc(lua, LUA_GCSETSTEPMUL, kCollectorStepPercent);
  SeedRandom(LuaState::Of(lua), std::random_device()());
}

void RefuseMissingFields(lua_State* lua) {
  lua_createtable(lua, 0, 1);
  lua_pushcfunction(lua, MissingGlobal);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
}

void ShowGlobals(lua_State* lua) {
  lua_getmetatable(lua, LUA_GLOBALSINDEX);
  lua_insert(lua, -2);
  lua_setfield(lua, -2, "__index");
  lua_pop(lua, 1);
}

void ShowOwnGlobals(lua_State* lua) {
  lua_getfield(lua, LUA_REGISTRYINDEX, kGlobals);
  ShowGlobals(lua);
}

void SetKeysAndArguments(lua_State* lua) {
  lua_getfield(lua, LUA_REGISTRYINDEX, kGlobals);
  lua_insert(lua, -3);
  lua_setfield(lua, -3, "ARGV");
  lua_setfield(lua, -2, "KEYS");
  lua_pop(lua, 1);
}

void ResetLibraries(lua_State* lua) { LuaState::Of(lua).json = {}; }

}  // namespace mayfly::server
