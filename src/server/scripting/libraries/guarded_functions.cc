#include "server/scripting/libraries/guarded_functions.h"

#include <cstdint>
#include <limits>

#include "server/scripting/libraries/compile_text.h"
#include "server/scripting/libraries/pattern_functions.h"
#include "server/scripting/libraries/read_only_tables.h"
#include "server/scripting/lua/limits.h"
#include "server/scripting/lua/lua_errors.h"

namespace mayfly::server {
namespace {

// Runs Lua's own function, upvalue 1, in this very call, so that its errors name it rightly.
int RunOriginal(lua_State* lua) { return lua_tocfunction(lua, lua_upvalueindex(1))(lua); }

// string.rep(): repeating an empty string is empty, but Lua loops over the count, out of the hook's
// reach.
int Repeat(lua_State* lua) {
  if (lua_type(lua, 1) == LUA_TSTRING && lua_objlen(lua, 1) == 0) {
    luaL_checkint(lua, 2);
    lua_pushliteral(lua, "");
    return 1;
  }
  return RunOriginal(lua);
}

// table.insert(): moves the values between the position and the end, one by one; from a position of
// -2^31 that takes minutes, out of the hook's reach.
int Insert(lua_State* lua) {
  CheckWritable(lua, 1);
  // As Lua reads it: 2^31 becomes -2^31.
  if (lua_gettop(lua) == 3 && static_cast<int>(lua_tointeger(lua, 2)) < -kTableShiftMax) {
    return luaL_argerror(lua, 2, "position out of bounds");
  }
  return RunOriginal(lua);
}

// unpack(): Lua 5.1 counts the results in an int, which overflows (CVE-2025-46817).
int UnpackGuarded(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  const lua_Integer first = luaL_optinteger(lua, 2, 1);
  const lua_Integer last = lua_isnoneornil(lua, 3) ? static_cast<lua_Integer>(lua_objlen(lua, 1))
                                                   : luaL_checkinteger(lua, 3);
  if (first > last) return 0;
  const std::uint64_t more = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  if (more >= std::numeric_limits<int>::max() ||
      lua_checkstack(lua, static_cast<int>(more) + 1) == 0) {
    return luaL_error(lua, "too many results to unpack");
  }
  const int count = static_cast<int>(more) + 1;
  for (int i = 0; i < count; ++i) {
    lua_pushnumber(lua, static_cast<lua_Number>(first) + i);
    lua_rawget(lua, 1);
  }
  return count;
}

// collectgarbage(): scripts can query and collect, and not change the collector: the memory bound
// relies on its being on, and the compiler on its being off.
int CollectGarbage(lua_State* lua) {
  static constexpr const char* kWords[] = {"stop", "restart",  "collect",    "count",
                                           "step", "setpause", "setstepmul", nullptr};
  enum : std::uint8_t { kStop, kRestart, kCollect, kCount, kStep, kSetPause, kSetStep };
  const int word = luaL_checkoption(lua, 1, "collect", kWords);
  luaL_optint(lua, 2, 0);
  switch (word) {
    case kCollect: lua_gc(lua, LUA_GCCOLLECT, 0); break;
    case kCount:
      lua_pushnumber(lua, lua_gc(lua, LUA_GCCOUNT, 0) + lua_gc(lua, LUA_GCCOUNTB, 0) / 1024.0);
      return 1;
    case kStep: lua_pushboolean(lua, lua_gc(lua, LUA_GCSTEP, 0)); return 1;
    case kSetPause: lua_pushnumber(lua, kCollectorPausePercent); return 1;
    case kSetStep: lua_pushnumber(lua, kCollectorStepPercent); return 1;
    default: break;
  }
  lua_pushnumber(lua, 0);
  return 1;
}

void Wrap(lua_State* lua, int table, const char* name, lua_CFunction by) {
  lua_getfield(lua, table, name);
  lua_pushcclosure(lua, by, 1);
  lua_setfield(lua, table, name);
}

}  // namespace

void ReplaceUnguardedFunctions(lua_State* lua, int globals) {
  // clang-format off
  const luaL_Reg kOwn[] = {
      {"collectgarbage", CollectGarbage},
      {"load",           Load},
      {"loadstring",     LoadString},
      {"pcall",          ProtectedCall},
      {"unpack",         UnpackGuarded},
  };
  // clang-format on
  for (const luaL_Reg& own : kOwn) {
    lua_pushcfunction(lua, own.func);
    lua_setfield(lua, globals, own.name);
  }
  lua_getfield(lua, globals, "string");
  const int strings = lua_gettop(lua);
  ReplacePatternFunctions(lua, strings);
  Wrap(lua, strings, "rep", Repeat);
  lua_getfield(lua, globals, "table");
  Wrap(lua, strings + 1, "insert", Insert);
  lua_pop(lua, 2);
}

}  // namespace mayfly::server
