#include "server/scripting/libraries/message_pack_reader.h"

#include <bit>
#include <cmath>

#include "server/scripting/lua/limits.h"
#include "server/scripting/lua/lua_errors.h"

namespace mayfly::server {

Bytes MessagePackReader::Take(std::uint64_t size) {
  if (size > text_.size()) luaL_error(lua_, "Missing bytes in input.");
  const Bytes taken = text_.substr(0, static_cast<std::size_t>(size));
  text_.remove_prefix(taken.size());
  return taken;
}

std::uint64_t MessagePackReader::Number(int bytes) {
  std::uint64_t number = 0;
  for (const char byte : Take(static_cast<std::uint64_t>(bytes))) {
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return number;
}

void MessagePackReader::Push(int depth) {
  luaL_checkstack(lua_, 4, "in function mp_decode_to_lua_type");
  const auto tag = static_cast<unsigned char>(Take(1)[0]);
  if (tag <= 0x7f || tag >= 0xe0) {
    lua_pushnumber(lua_, static_cast<signed char>(tag));
  } else if (tag <= 0x8f) {
    PushMap(tag & 0x0f, depth);
  } else if (tag <= 0x9f) {
    PushArray(tag & 0x0f, depth);
  } else if (tag <= 0xbf) {
    PushString(tag & 0x1f);
  } else {
    PushOfTag(tag, depth);
  }
}

void MessagePackReader::PushOfTag(unsigned char tag, int depth) {
  switch (tag) {
    case 0xc0: return lua_pushnil(lua_);
    case 0xc2: return lua_pushboolean(lua_, 0);
    case 0xc3: return lua_pushboolean(lua_, 1);
    case 0xc4: return PushString(Number(1));  // Bytes, which Lua holds as strings.
    case 0xc5: return PushString(Number(2));
    case 0xc6: return PushString(Number(4));
    case 0xca:
      return lua_pushnumber(lua_, std::bit_cast<float>(static_cast<std::uint32_t>(Number(4))));
    case 0xcb: return lua_pushnumber(lua_, std::bit_cast<double>(Number(8)));
    case 0xcc: return lua_pushnumber(lua_, static_cast<lua_Number>(Number(1)));
    case 0xcd: return lua_pushnumber(lua_, static_cast<lua_Number>(Number(2)));
    case 0xce: return lua_pushnumber(lua_, static_cast<lua_Number>(Number(4)));
    // As Redis reads it, signed.
    case 0xcf:
      return lua_pushnumber(lua_, static_cast<lua_Number>(static_cast<std::int64_t>(Number(8))));
    case 0xd0: return lua_pushnumber(lua_, static_cast<std::int8_t>(Number(1)));
    case 0xd1: return lua_pushnumber(lua_, static_cast<std::int16_t>(Number(2)));
    case 0xd2: return lua_pushnumber(lua_, static_cast<std::int32_t>(Number(4)));
    case 0xd3:
      return lua_pushnumber(lua_, static_cast<lua_Number>(static_cast<std::int64_t>(Number(8))));
    case 0xd9: return PushString(Number(1));
    case 0xda: return PushString(Number(2));
    case 0xdb: return PushString(Number(4));
    case 0xdc: return PushArray(Number(2), depth);
    case 0xdd: return PushArray(Number(4), depth);
    case 0xde: return PushMap(Number(2), depth);
    case 0xdf: return PushMap(Number(4), depth);
    default: luaL_error(lua_, "Bad data format in input.");
  }
}

void MessagePackReader::PushString(std::uint64_t size) { PushBytes(lua_, Take(size)); }

void MessagePackReader::PushArray(std::uint64_t count, int depth) {
  if (depth >= kJsonDepthMax) luaL_error(lua_, "Bad data format in input.");
  lua_newtable(lua_);
  for (std::uint64_t i = 1; i <= count; ++i) {
    Push(depth + 1);
    lua_rawseti(lua_, -2, static_cast<int>(i));
  }
}

void MessagePackReader::PushMap(std::uint64_t count, int depth) {
  if (depth >= kJsonDepthMax) luaL_error(lua_, "Bad data format in input.");
  lua_newtable(lua_);
  for (std::uint64_t i = 0; i < count; ++i) {
    Push(depth + 1);
    // Not a valid table key.
    const bool not_a_number =
        lua_type(lua_, -1) == LUA_TNUMBER && std::isnan(lua_tonumber(lua_, -1));
    if (lua_isnil(lua_, -1) || not_a_number) luaL_error(lua_, "Bad data format in input.");
    Push(depth + 1);
    lua_rawset(lua_, -3);
  }
}

}  // namespace mayfly::server
