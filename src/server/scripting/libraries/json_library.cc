#include "server/scripting/libraries/json_library.h"

#include <limits>
#include <new>

#include "server/scripting/libraries/json_decoder.h"
#include "server/scripting/libraries/json_encoder.h"
#include "server/scripting/lua/lua_errors.h"
#include "server/scripting/lua/lua_state.h"

namespace mayfly::server {
namespace {

JsonSettings& Settings(lua_State* lua) { return LuaState::Of(lua).json; }

void CheckCount(lua_State* lua, int max) {
  if (lua_gettop(lua) > max) luaL_argerror(lua, max + 1, "found too many arguments");
}

// Each of these sets its argument, if it has one, and returns the current value.
void SetInteger(lua_State* lua, int index, int& setting, int min, int max) {
  if (lua_isnoneornil(lua, index)) return;
  const lua_Integer value = luaL_checkinteger(lua, index);
  if (value < min || value > max) {
    luaL_argerror(lua, index, lua_pushfstring(lua, "expected integer between %d and %d", min, max));
  }
  setting = static_cast<int>(value);
}

void SetBoolean(lua_State* lua, int index, bool& setting) {
  static constexpr const char* kWords[] = {"off", "on", nullptr};
  if (lua_isnoneornil(lua, index)) return;
  setting = lua_isboolean(lua, index) ? lua_toboolean(lua, index) != 0
                                      : luaL_checkoption(lua, index, nullptr, kWords) == 1;
}

int Number(lua_State* lua, int& setting, int min, int max) {
  CheckCount(lua, 1);
  SetInteger(lua, 1, setting, min, max);
  lua_pushinteger(lua, setting);
  return 1;
}

int Flag(lua_State* lua, bool& setting) {
  CheckCount(lua, 1);
  SetBoolean(lua, 1, setting);
  lua_pushboolean(lua, setting ? 1 : 0);
  return 1;
}

int EncodeDepth(lua_State* lua) {
  return Number(lua, Settings(lua).encode_depth_max, 1, kJsonDepthMax);
}
int DecodeDepth(lua_State* lua) {
  return Number(lua, Settings(lua).decode_depth_max, 1, kJsonDepthMax);
}
int Precision(lua_State* lua) { return Number(lua, Settings(lua).precision, 1, 14); }
int KeepBuffer(lua_State* lua) { return Flag(lua, Settings(lua).keep_buffer); }
int DecodeInvalid(lua_State* lua) { return Flag(lua, Settings(lua).decode_invalid); }

int EncodeInvalid(lua_State* lua) {
  static constexpr const char* kWords[] = {"off", "on", "null", nullptr};
  CheckCount(lua, 1);
  InvalidNumbers& setting = Settings(lua).encode_invalid;
  if (lua_isboolean(lua, 1)) {
    setting = lua_toboolean(lua, 1) != 0 ? InvalidNumbers::kWritten : InvalidNumbers::kRefused;
  } else if (!lua_isnoneornil(lua, 1)) {
    setting = static_cast<InvalidNumbers>(luaL_checkoption(lua, 1, nullptr, kWords));
  }
  if (setting == InvalidNumbers::kNull) {
    lua_pushliteral(lua, "null");
  } else {
    lua_pushboolean(lua, setting == InvalidNumbers::kWritten ? 1 : 0);
  }
  return 1;
}

int SparseArray(lua_State* lua) {
  constexpr int kMax = std::numeric_limits<int>::max();
  CheckCount(lua, 3);
  JsonSettings& settings = Settings(lua);
  SetBoolean(lua, 1, settings.sparse_as_object);
  SetInteger(lua, 2, settings.sparse_ratio, 0, kMax);
  SetInteger(lua, 3, settings.sparse_safe, 0, kMax);
  lua_pushboolean(lua, settings.sparse_as_object ? 1 : 0);
  lua_pushinteger(lua, settings.sparse_ratio);
  lua_pushinteger(lua, settings.sparse_safe);
  return 3;
}

int Encode(lua_State* lua) {
  luaL_argcheck(lua, lua_gettop(lua) == 1, 1, "expected 1 argument");
  LuaState& state = LuaState::Of(lua);
  bool out_of_memory = false;
  try {
    JsonEncoder encoder(lua, state.json, state.memory_left());
    encoder.Encode();
    PushBytes(lua, encoder.text());
  } catch (const std::bad_alloc&) {
    out_of_memory = true;  // C++ memory, not Lua's: the exception must not reach Lua.
  }
  return out_of_memory ? luaL_error(lua, "not enough memory") : 1;
}

int Decode(lua_State* lua) {
  luaL_argcheck(lua, lua_gettop(lua) == 1, 1, "expected 1 argument");
  luaL_checkstring(lua, 1);
  bool out_of_memory = false;
  try {
    JsonDecoder(lua, LuaState::Of(lua).json, ToBytes(lua, 1)).Decode();
  } catch (const std::bad_alloc&) {
    out_of_memory = true;
  }
  return out_of_memory ? luaL_error(lua, "not enough memory") : 1;
}

}  // namespace

void PushJsonLibrary(lua_State* lua) {
  // clang-format off
  static constexpr luaL_Reg kFunctions[] = {
      {"decode",                  Decode},
      {"decode_invalid_numbers",  DecodeInvalid},
      {"decode_max_depth",        DecodeDepth},
      {"encode",                  Encode},
      {"encode_invalid_numbers",  EncodeInvalid},
      {"encode_keep_buffer",      KeepBuffer},
      {"encode_max_depth",        EncodeDepth},
      {"encode_number_precision", Precision},
      {"encode_sparse_array",     SparseArray},
  };
  // clang-format on
  lua_newtable(lua);
  for (const luaL_Reg& function : kFunctions) {
    lua_pushcfunction(lua, function.func);
    lua_setfield(lua, -2, function.name);
  }
  lua_pushlightuserdata(lua, nullptr);
  lua_setfield(lua, -2, "null");
  lua_pushliteral(lua, "cjson");
  lua_setfield(lua, -2, "_NAME");
  lua_pushliteral(lua, "2.1.0");
  lua_setfield(lua, -2, "_VERSION");
}

}  // namespace mayfly::server
