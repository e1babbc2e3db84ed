#include "server/scripting/libraries/bit_library.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mayfly::server {
namespace {

// A number of Lua as 32 bits: rounded, then modulo 2^32. Adding 1.5 * 2^52 leaves the integer in
// the lowest bits of the sum; beyond 2^51 the bits are unspecified, as BitOp says.
std::uint32_t CheckBits(lua_State* lua, int index) {
  constexpr double kShift = 6755399441055744.0;
  const double sum = luaL_checknumber(lua, index) + kShift;
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(sum));
}

int PushBits(lua_State* lua, std::uint32_t bits) {
  lua_pushnumber(lua, static_cast<lua_Number>(static_cast<std::int32_t>(bits)));
  return 1;
}

int ToBit(lua_State* lua) { return PushBits(lua, CheckBits(lua, 1)); }
int Not(lua_State* lua) { return PushBits(lua, ~CheckBits(lua, 1)); }
int SwapBytes(lua_State* lua) { return PushBits(lua, __builtin_bswap32(CheckBits(lua, 1))); }

template <typename Combine>
int CombineAll(lua_State* lua, Combine combine) {
  std::uint32_t bits = CheckBits(lua, 1);
  for (int i = lua_gettop(lua); i > 1; --i) bits = combine(bits, CheckBits(lua, i));
  return PushBits(lua, bits);
}

int And(lua_State* lua) {
  return CombineAll(lua, [](std::uint32_t a, std::uint32_t b) { return a & b; });
}
int Or(lua_State* lua) {
  return CombineAll(lua, [](std::uint32_t a, std::uint32_t b) { return a | b; });
}
int Xor(lua_State* lua) {
  return CombineAll(lua, [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
}

template <typename Shift>
int ShiftBits(lua_State* lua, Shift shift) {
  const std::uint32_t bits = CheckBits(lua, 1);
  return PushBits(lua, shift(bits, static_cast<int>(CheckBits(lua, 2) & 31)));
}

int ShiftLeft(lua_State* lua) {
  return ShiftBits(lua, [](std::uint32_t bits, int by) { return bits << by; });
}
int ShiftRight(lua_State* lua) {
  return ShiftBits(lua, [](std::uint32_t bits, int by) { return bits >> by; });
}
int ShiftRightSigned(lua_State* lua) {
  return ShiftBits(lua, [](std::uint32_t bits, int by) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> by);
  });
}
int RotateLeft(lua_State* lua) {
  return ShiftBits(lua, [](std::uint32_t bits, int by) { return std::rotl(bits, by); });
}
int RotateRight(lua_State* lua) {
  return ShiftBits(lua, [](std::uint32_t bits, int by) { return std::rotr(bits, by); });
}

// bit.tohex(x [, n]): the lowest |n| digits, at most and by default eight; capitals if n < 0.
int ToHex(lua_State* lua) {
  std::uint32_t bits = CheckBits(lua, 1);
  const std::int64_t wanted = lua_isnone(lua, 2) ? 8 : static_cast<std::int32_t>(CheckBits(lua, 2));
  const char* const digits = wanted < 0 ? "0123456789ABCDEF" : "0123456789abcdef";
  const std::int64_t count = wanted < 0 ? -wanted : wanted;
  std::array<char, 8> text;
  const std::size_t size = count > 8 ? 8 : static_cast<std::size_t>(count);
  for (std::size_t i = size; i > 0; --i) {
    text[i - 1] = digits[bits & 15];
    bits >>= 4;
  }
  lua_pushlstring(lua, text.data(), size);
  return 1;
}

}  // namespace

void PushBitLibrary(lua_State* lua) {
  // clang-format off
  static constexpr luaL_Reg kFunctions[] = {
      {"arshift", ShiftRightSigned},
      {"band",    And},
      {"bnot",    Not},
      {"bor",     Or},
      {"bswap",   SwapBytes},
      {"bxor",    Xor},
      {"lshift",  ShiftLeft},
      {"rol",     RotateLeft},
      {"ror",     RotateRight},
      {"rshift",  ShiftRight},
      {"tobit",   ToBit},
      {"tohex",   ToHex},
  };
  // clang-format on
  lua_newtable(lua);
  for (const luaL_Reg& function : kFunctions) {
    lua_pushcfunction(lua, function.func);
    lua_setfield(lua, -2, function.name);
  }
}

}  // namespace mayfly::server
