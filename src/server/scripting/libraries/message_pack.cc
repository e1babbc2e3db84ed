#include "server/scripting/libraries/message_pack.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <exception>
#include <string>

#include "server/scripting/libraries/message_pack_reader.h"
#include "server/scripting/lua/limits.h"
#include "server/scripting/lua/lua_errors.h"
#include "server/scripting/lua/lua_state.h"

namespace mayfly::server {
namespace {

// Writes into its own buffer, so that a failure leaves nothing on Lua's stack.
class Packer {
 public:
  // A table may contain itself many times over, so the memory of its values bounds nothing.
  explicit Packer(lua_State* lua) : lua_(lua), bytes_max_(LuaState::Of(lua).memory_left()) {}

  // Pops the value on top, at any depth.
  void Pack(int depth) {
    if (out_.size() > bytes_max_) luaL_error(lua_, "not enough memory");
    luaL_checkstack(lua_, 4, "in function mp_pack");
    switch (lua_type(lua_, -1)) {
      case LUA_TSTRING: PackString(ToBytes(lua_, -1)); break;
      case LUA_TBOOLEAN: out_ += lua_toboolean(lua_, -1) != 0 ? '\xc3' : '\xc2'; break;
      case LUA_TNUMBER: PackNumber(lua_tonumber(lua_, -1)); break;
      case LUA_TTABLE:
        if (depth < kMessagePackDepthMax) {
          PackTable(depth);
          break;
        }
        [[fallthrough]];
      default: out_ += '\xc0'; break;
    }
    lua_pop(lua_, 1);
  }

  Bytes bytes() const { return out_; }

 private:
  // A tag and `bytes` bytes of a number, the largest first.
  void Put(unsigned char tag, std::uint64_t number, int bytes) {
    out_ += static_cast<char>(tag);
    for (int i = bytes - 1; i >= 0; --i) out_ += static_cast<char>((number >> (8 * i)) & 0xff);
  }

  void PackString(Bytes text) {
    if (text.size() < 32) {
      Put(static_cast<unsigned char>(0xa0 | text.size()), 0, 0);
    } else if (text.size() <= 0xff) {
      Put(0xd9, text.size(), 1);
    } else if (text.size() <= 0xffff) {
      Put(0xda, text.size(), 2);
    } else {
      Put(0xdb, text.size(), 4);
    }
    out_ += text;
  }

  void PackNumber(double number) {
    constexpr double kEnd = 9223372036854775808.0;
    if (number >= -kEnd && number < kEnd && std::floor(number) == number) {
      return PackInteger(static_cast<std::int64_t>(number));
    }
    const auto narrow = static_cast<float>(number);
    if (static_cast<double>(narrow) == number) {
      Put(0xca, std::bit_cast<std::uint32_t>(narrow), 4);
    } else {
      Put(0xcb, std::bit_cast<std::uint64_t>(number), 8);
    }
  }

  void PackInteger(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    if (number >= -32 && number <= 127) {
      Put(static_cast<unsigned char>(bits & 0xff), 0, 0);
    } else if (number >= 0) {
      if (bits <= 0xff) return Put(0xcc, bits, 1);
      if (bits <= 0xffff) return Put(0xcd, bits, 2);
      if (bits <= 0xffffffff) return Put(0xce, bits, 4);
      Put(0xcf, bits, 8);
    } else {
      if (number >= INT8_MIN) return Put(0xd0, bits, 1);
      if (number >= INT16_MIN) return Put(0xd1, bits, 2);
      if (number >= INT32_MIN) return Put(0xd2, bits, 4);
      Put(0xd3, bits, 8);
    }
  }

  // Fewer than 16 have the count in the tag.
  void PackCount(std::size_t count, unsigned char small, unsigned char large) {
    if (count < 16) {
      Put(static_cast<unsigned char>(small | count), 0, 0);
    } else if (count <= 0xffff) {
      Put(large, count, 2);
    } else {
      Put(static_cast<unsigned char>(large + 1), count, 4);
    }
  }

  // How many entries the table on top has, and whether their keys are 1 to that number.
  std::size_t CountEntries(bool& is_array) {
    std::size_t count = 0;
    lua_Number last = 0;
    is_array = true;
    for (lua_pushnil(lua_); lua_next(lua_, -2) != 0; lua_pop(lua_, 1)) {
      ++count;
      if (lua_type(lua_, -2) != LUA_TNUMBER) {
        is_array = false;
        continue;
      }
      const lua_Number key = lua_tonumber(lua_, -2);
      if (key < 1 || std::floor(key) != key) is_array = false;
      last = std::max(last, key);
    }
    is_array = is_array && last == static_cast<lua_Number>(count);
    return count;
  }

  void PackTable(int depth) {
    bool is_array = false;
    const std::size_t count = CountEntries(is_array);
    PackCount(count, is_array ? 0x90 : 0x80, is_array ? 0xdc : 0xde);
    if (is_array) {
      for (std::size_t i = 1; i <= count; ++i) {
        lua_rawgeti(lua_, -1, static_cast<int>(i));
        Pack(depth + 1);
      }
      return;
    }
    lua_pushnil(lua_);
    while (lua_next(lua_, -2) != 0) {
      lua_pushvalue(lua_, -2);
      Pack(depth + 1);  // The key, a copy,
      Pack(depth + 1);  // and the value.
    }
  }

  lua_State* const lua_;
  const std::size_t bytes_max_;
  std::string out_;
};

// C++ exceptions must not travel through Lua, which would take them for its own.
int PackMessages(lua_State* lua) {
  const int count = lua_gettop(lua);
  if (count == 0) return luaL_argerror(lua, 0, "MessagePack pack needs input.");
  bool packed = false;
  try {
    Packer packer(lua);
    for (int i = 1; i <= count; ++i) {
      luaL_checkstack(lua, 1, "in function mp_pack");
      lua_pushvalue(lua, i);
      packer.Pack(0);
    }
    PushBytes(lua, packer.bytes());
    packed = true;
  } catch (const std::exception&) {
    packed = false;
  }
  return packed ? 1 : luaL_error(lua, "not enough memory");
}

// Pushes up to `limit` values from `offset` on, 0 for all; before them, if `with_offset`, where the
// next one begins, or -1 when there is none.
int ReadValues(lua_State* lua, int limit, int offset, bool with_offset) {
  const Bytes text = ToBytes(lua, 1);
  const auto size = static_cast<int>(text.size());
  if (offset < 0 || limit < 0) {
    return luaL_error(lua, "Invalid request to unpack with offset of %d and limit of %d.", offset,
                      size);
  }
  if (offset > size) {
    return luaL_error(lua, "Start offset %d greater than input length %d.", offset, size);
  }
  const int before = lua_gettop(lua);
  if (with_offset) lua_pushnil(lua);
  MessagePackReader reader(lua, text.substr(static_cast<std::size_t>(offset)));
  for (int i = 0; !reader.done() && (limit == 0 || i < limit); ++i) {
    luaL_checkstack(lua, 1, "in function mp_unpack_full");
    reader.PushNext();
  }
  if (with_offset) {
    lua_pushnumber(lua, reader.done() ? -1
                                      : static_cast<lua_Number>(size) -
                                            static_cast<lua_Number>(reader.left()));
    lua_replace(lua, before + 1);
  }
  return lua_gettop(lua) - before;
}

int UnpackMessages(lua_State* lua) {
  luaL_checkstring(lua, 1);
  return ReadValues(lua, 0, 0, false);
}

int UnpackOne(lua_State* lua) {
  luaL_checkstring(lua, 1);
  return ReadValues(lua, 1, luaL_optint(lua, 2, 0), true);
}

int UnpackLimit(lua_State* lua) {
  luaL_checkstring(lua, 1);
  const int limit = luaL_checkint(lua, 2);
  return ReadValues(lua, limit, luaL_optint(lua, 3, 0), true);
}

}  // namespace

void PushMessagePack(lua_State* lua) {
  // clang-format off
  static constexpr luaL_Reg kFunctions[] = {
      {"pack",         PackMessages},
      {"unpack",       UnpackMessages},
      {"unpack_limit", UnpackLimit},
      {"unpack_one",   UnpackOne},
  };
  // clang-format on
  lua_newtable(lua);
  for (const luaL_Reg& function : kFunctions) {
    lua_pushcfunction(lua, function.func);
    lua_setfield(lua, -2, function.name);
  }
  lua_pushliteral(lua, "cmsgpack");
  lua_setfield(lua, -2, "_NAME");
}

}  // namespace mayfly::server
