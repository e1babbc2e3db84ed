#include "server/scripting/lua_libraries.h"

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "server/scripting/limits.h"
#include "server/scripting/lua_errors.h"
#include "server/scripting/lua_state.h"
#include "server/scripting/message_pack.h"
#include "server/scripting/read_only_tables.h"
#include "server/scripting/redis_library.h"

extern "C" {
int luaopen_cjson(lua_State* lua);
int luaopen_bit(lua_State* lua);
}

namespace mayfly::server {
namespace {

constexpr const char* kGlobals = "mayfly.globals";  // In the registry: the real table of globals.

// What is offered of Lua's own. Not among it: dofile, loadfile, print, require, module, package,
// io, debug; getfenv and setfenv, which reach other functions' globals; newproxy, whose finalizers
// would run in somebody else's script.
constexpr const char* kOffered[] = {
    "_VERSION", "assert",       "collectgarbage", "coroutine", "error",        "gcinfo",
    "ipairs",   "getmetatable", "math",           "next",      "pairs",        "rawequal",
    "rawget",   "rawset",       "select",         "string",    "table",        "tonumber",
    "tostring", "type",         "unpack",         "xpcall",    "setmetatable",
};
constexpr const char* kLibraries[] = {"bit", "coroutine", "math", "os", "redis", "string", "table"};

int MissingGlobal(lua_State* lua) {
  const char* const name = lua_tostring(lua, 2);
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    name == nullptr ? "?" : name);
}

// string.find() and the like, the original being upvalue 1.
int MatchPattern(lua_State* lua) {
  if (lua_type(lua, 2) == LUA_TSTRING && lua_objlen(lua, 2) > kPatternBytesMax) {
    return luaL_argerror(lua, 2, "pattern too long");
  }
  return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

// string.rep(): nothing repeated is nothing, which Lua finds out one by one, out of the hook's
// reach.
int Repeat(lua_State* lua) {
  if (lua_type(lua, 1) == LUA_TSTRING && lua_objlen(lua, 1) == 0) {
    luaL_checkint(lua, 2);
    lua_pushliteral(lua, "");
    return 1;
  }
  return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

int RefuseBytecode(lua_State* lua) {
  lua_pushnil(lua);
  lua_pushliteral(lua, "attempt to load chunk with wrong mode");
  return 2;
}

int Loaded(lua_State* lua, int status) {
  if (status == 0) return 1;
  lua_pushnil(lua);
  lua_insert(lua, -2);
  return 2;
}

int LoadString(lua_State* lua) {
  std::size_t size = 0;
  const char* const text = luaL_checklstring(lua, 1, &size);
  const char* const name = luaL_optstring(lua, 2, text);
  if (size > 0 && text[0] == LUA_SIGNATURE[0]) return RefuseBytecode(lua);
  return Loaded(lua, luaL_loadbuffer(lua, text, size, name));
}

struct Pieces {
  bool begun = false;
  bool bytecode = false;
};

// Hands lua_load() the pieces that the function at index 1 returns. The piece in use stays at 3.
const char* ReadPiece(lua_State* lua, void* data, std::size_t* size) {
  Pieces& pieces = *static_cast<Pieces*>(data);
  *size = 0;
  luaL_checkstack(lua, 2, "too many nested functions");
  lua_pushvalue(lua, 1);
  lua_call(lua, 0, 1);
  if (lua_isnil(lua, -1)) return nullptr;
  if (lua_isstring(lua, -1) == 0) luaL_error(lua, "reader function must return a string");
  lua_replace(lua, 3);
  const char* const piece = lua_tolstring(lua, 3, size);
  if (!pieces.begun && *size > 0) {
    pieces.begun = true;
    pieces.bytecode = piece[0] == LUA_SIGNATURE[0];
  }
  if (pieces.bytecode) *size = 0;  // Ends the text.
  return pieces.bytecode ? nullptr : piece;
}

int Load(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TFUNCTION);
  const char* const name = luaL_optstring(lua, 2, "=(load)");
  lua_settop(lua, 3);
  Pieces pieces;
  const int status = lua_load(lua, ReadPiece, &pieces, name);
  return pieces.bytecode ? RefuseBytecode(lua) : Loaded(lua, status);
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

// A function of cjson that changes how it works, upvalue 1; upvalue 2 tells whether it is a depth.
int SetJson(lua_State* lua) {
  if (lua_toboolean(lua, lua_upvalueindex(2)) != 0 && lua_gettop(lua) > 0) {
    luaL_argcheck(lua, luaL_checkint(lua, 1) <= kJsonDepthMax, 1, "depth beyond the limit");
  }
  LuaState::Of(lua).json_touched = true;
  lua_pushvalue(lua, lua_upvalueindex(1));
  lua_insert(lua, 1);
  lua_call(lua, lua_gettop(lua) - 1, LUA_MULTRET);
  return lua_gettop(lua);
}

void WrapFunction(lua_State* lua, const char* name, lua_CFunction by) {
  lua_getfield(lua, -1, name);
  lua_pushcclosure(lua, by, 1);
  lua_setfield(lua, -2, name);
}

void PushJson(lua_State* lua) {
  luaopen_cjson(lua);
  lua_pushnil(lua);
  lua_setfield(lua, -2, "new");  // Would make one with settings that nobody watches.
  for (const char* const name :
       {"encode_max_depth", "decode_max_depth", "encode_sparse_array", "encode_keep_buffer",
        "encode_number_precision", "encode_invalid_numbers", "decode_invalid_numbers"}) {
    lua_getfield(lua, -1, name);
    lua_pushboolean(lua, std::string_view(name).ends_with("_depth") ? 1 : 0);
    lua_pushcclosure(lua, SetJson, 2);
    lua_setfield(lua, -2, name);
  }
  MakeReadOnly(lua);
}

void OpenLuaLibraries(lua_State* lua) {
  for (const lua_CFunction open :
       {luaopen_base, luaopen_table, luaopen_string, luaopen_math, luaopen_os, luaopen_bit}) {
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
  lua_getglobal(lua, "bit");
  lua_setfield(lua, globals, "bit");
  lua_newtable(lua);
  lua_getglobal(lua, "os");
  lua_getfield(lua, -1, "clock");
  lua_setfield(lua, -3, "clock");
  lua_pop(lua, 1);
  lua_setfield(lua, globals, "os");
  const luaL_Reg kOwn[] = {
      {"load",       Load         },
      {"loadstring", LoadString   },
      {"pcall",      ProtectedCall}
  };
  for (const luaL_Reg& own : kOwn) {
    lua_pushcfunction(lua, own.func);
    lua_setfield(lua, globals, own.name);
  }
  lua_getfield(lua, globals, "math");
  lua_pushcfunction(lua, DrawRandom);
  lua_setfield(lua, -2, "random");
  lua_pushcfunction(lua, SetRandomSeed);
  lua_setfield(lua, -2, "randomseed");
  lua_pop(lua, 1);
  lua_getfield(lua, globals, "string");
  for (const char* const name : {"find", "match", "gmatch", "gfind", "gsub"}) {
    WrapFunction(lua, name, MatchPattern);
  }
  WrapFunction(lua, "rep", Repeat);
  lua_pop(lua, 1);
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
  for (const char* const name : kLibraries) {
    lua_getfield(lua, globals, name);
    MakeReadOnly(lua);
    lua_setfield(lua, globals, name);
  }
  PushJson(lua);
  lua_setfield(lua, globals, "cjson");
  PushMessagePack(lua);
  MakeReadOnly(lua);
  lua_setfield(lua, globals, "cmsgpack");
  ProtectStrings(lua, globals);
  lua_createtable(lua, 0, 1);
  lua_pushcfunction(lua, MissingGlobal);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, globals);
  lua_pushvalue(lua, globals);
  lua_setfield(lua, LUA_REGISTRYINDEX, kGlobals);
  lua_pushvalue(lua, globals);
  MakeReadOnly(lua);
  lua_pushvalue(lua, -1);
  lua_setfield(lua, globals, "_G");
  lua_replace(lua, LUA_GLOBALSINDEX);
  lua_pop(lua, 1);
  SeedRandom(LuaState::Of(lua), std::random_device()());
}

void SetKeysAndArguments(lua_State* lua) {
  lua_getfield(lua, LUA_REGISTRYINDEX, kGlobals);
  lua_insert(lua, -3);
  lua_setfield(lua, -3, "ARGV");
  lua_setfield(lua, -2, "KEYS");
  lua_pop(lua, 1);
}

void ResetLibraries(lua_State* lua) {
  LuaState& state = LuaState::Of(lua);
  lua_gc(lua, LUA_GCRESTART, 0);
  lua_gc(lua, LUA_GCSETPAUSE, 150);
  lua_gc(lua, LUA_GCSETSTEPMUL, 200);
  if (!state.json_touched) return;
  state.json_touched = false;
  lua_getfield(lua, LUA_REGISTRYINDEX, kGlobals);
  PushJson(lua);
  lua_setfield(lua, -2, "cjson");
  lua_pop(lua, 1);
}

}  // namespace mayfly::server
