#include "server/scripting/libraries/struct_library.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "server/scripting/lua/limits.h"
#include "server/scripting/lua/lua_errors.h"

namespace mayfly::server {
namespace {

constexpr int kNativeAlignment = 8;

bool IsPowerOfTwo(int number) {
  return number > 0 && std::has_single_bit(static_cast<unsigned>(number));
}

// One conversion of a format.
struct Item {
  char option;
  int size;     // In bytes; 0 where the data decides.
  int padding;  // Before it, at the given offset.
};

// Walks over a format. Its numbers are bounded, so that no sum of them can overflow.
class FormatReader {
 public:
  FormatReader(lua_State* lua, const char* format) : lua_(lua), at_(format) {}

  bool big_endian() const { return big_endian_; }

  // The next conversion, for data that has `offset` bytes before it; nothing at the end.
  std::optional<Item> Next(std::size_t offset) {
    while (*at_ != '\0') {
      const char option = *at_++;
      const std::optional<int> size = SizeOf(option);
      if (size) return Item{option, *size, Padding(option, *size, offset)};
    }
    return std::nullopt;
  }

 private:
  // Nothing: an option that changes how the rest is read.
  std::optional<int> SizeOf(char option) {
    switch (option) {
      case ' ': return std::nullopt;
      case '<': big_endian_ = false; return std::nullopt;
      case '>': big_endian_ = true; return std::nullopt;
      case '!':
        alignment_ = Number(kNativeAlignment);
        if (!IsPowerOfTwo(alignment_))
          luaL_error(lua_, "alignment %d is not a power of 2", alignment_);
        return std::nullopt;
      case 'b':
      case 'B':
      case 'x': return 1;
      case 'h':
      case 'H': return 2;
      case 'l':
      case 'L':
      case 'T':
      case 'd': return 8;
      case 'f': return 4;
      case 's': return 0;
      case 'c': return Number(1);
      case 'i':
      case 'I': {
        const int size = Number(4);
        if (size > kStructIntegerBytesMax) {
          luaL_error(lua_, "integral size %d is larger than limit of %d", size,
                     kStructIntegerBytesMax);
        }
        return size;
      }
      default:
        luaL_argerror(lua_, 1, lua_pushfstring(lua_, "invalid format option '%c'", option));
        return std::nullopt;
    }
  }

  int Number(int otherwise) {
    if (*at_ < '0' || *at_ > '9') return otherwise;
    int number = 0;
    for (; *at_ >= '0' && *at_ <= '9'; ++at_) {
      if (number > std::numeric_limits<int>::max() / 10 - 1) {
        luaL_error(lua_, "integral size overflow");
      }
      number = number * 10 + (*at_ - '0');
    }
    return number;
  }

  int Padding(char option, int size, std::size_t offset) const {
    if (size == 0 || option == 'c') return 0;
    if (size > alignment_) size = alignment_;
    return (size - static_cast<int>(offset & static_cast<std::size_t>(size - 1))) & (size - 1);
  }

  lua_State* const lua_;
  const char* at_;
  bool big_endian_ = std::endian::native == std::endian::big;
  int alignment_ = 1;
};

// The number as a C conversion to 64 bits, without its undefined cases.
std::uint64_t ToInteger(lua_Number number) {
  constexpr lua_Number kEnd = 9223372036854775808.0;
  if (std::isnan(number)) return 0;
  if (number < -kEnd) return std::uint64_t{1} << 63;
  if (number < kEnd) return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
  return number < 2 * kEnd ? static_cast<std::uint64_t>(number) : 0;
}

// Of any size up to the limit; bytes beyond 64 bits are zero.
void AddInteger(luaL_Buffer& buffer, std::uint64_t number, int size, bool big_endian) {
  for (int i = 0; i < size; ++i) {
    const int byte = big_endian ? size - 1 - i : i;
    luaL_addchar(&buffer, byte < 8 ? static_cast<char>((number >> (8 * byte)) & 0xff) : '\0');
  }
}

std::uint64_t ReadInteger(Bytes bytes, bool big_endian) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char byte = bytes[big_endian ? i : bytes.size() - 1 - i];
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return number;
}

// Sign-extended, if the option is a small letter.
lua_Number IntegerValue(const Item& item, std::uint64_t number) {
  if (item.option < 'a') return static_cast<lua_Number>(number);
  if (item.size < 8 && item.size > 0) {
    const int unused = 64 - 8 * item.size;
    return static_cast<lua_Number>(static_cast<std::int64_t>(number << unused) >> unused);
  }
  return static_cast<lua_Number>(static_cast<std::int64_t>(number));
}

// Adds the value of the argument; returns how many bytes.
std::size_t AddValue(lua_State* lua, luaL_Buffer& buffer, const Item& item, int arg,
                     bool big_endian) {
  switch (item.option) {
    case 'f': {
      const auto number = static_cast<float>(luaL_checknumber(lua, arg));
      AddInteger(buffer, std::bit_cast<std::uint32_t>(number), 4, big_endian);
      return 4;
    }
    case 'd':
      AddInteger(buffer, std::bit_cast<std::uint64_t>(luaL_checknumber(lua, arg)), 8, big_endian);
      return 8;
    case 'c':
    case 's': {
      std::size_t length = 0;
      const char* const text = luaL_checklstring(lua, arg, &length);
      const auto wanted = static_cast<std::size_t>(item.size);
      luaL_argcheck(lua, length >= wanted, arg, "string too short");
      if (wanted != 0) length = wanted;
      luaL_addlstring(&buffer, text, length);
      if (item.option == 'c') return length;
      luaL_addchar(&buffer, '\0');
      return length + 1;
    }
    default:
      AddInteger(buffer, ToInteger(luaL_checknumber(lua, arg)), item.size, big_endian);
      return static_cast<std::size_t>(item.size);
  }
}

int PackStruct(lua_State* lua) {
  FormatReader format(lua, luaL_checkstring(lua, 1));
  luaL_Buffer buffer;
  luaL_buffinit(lua, &buffer);
  std::size_t size = 0;
  int arg = 2;
  while (const std::optional<Item> item = format.Next(size)) {
    for (int i = 0; i < item->padding; ++i) luaL_addchar(&buffer, '\0');
    size += static_cast<std::size_t>(item->padding);
    if (item->option == 'x') {
      luaL_addchar(&buffer, '\0');
      ++size;
    } else {
      size += AddValue(lua, buffer, *item, arg++, format.big_endian());
    }
  }
  luaL_pushresult(&buffer);
  return 1;
}

// The bytes of the item at the front of `data`; raises an error if there are too few. `taken` is
// its length. Pops the value before it, which c0 needs.
Bytes TakeText(lua_State* lua, const Item& item, Bytes data, std::size_t& taken, bool has_value) {
  if (item.option == 's') {
    const std::size_t end = data.find('\0');
    if (end == Bytes::npos) luaL_error(lua, "unfinished string in data");
    taken = end + 1;
    return data.substr(0, end);
  }
  taken = static_cast<std::size_t>(item.size);
  if (taken == 0) {
    if (!has_value || lua_isnumber(lua, -1) == 0) {
      luaL_error(lua, "format 'c0' needs a previous size");
    }
    const lua_Number size = lua_tonumber(lua, -1);
    lua_pop(lua, 1);
    if (!(size >= 0 && size <= static_cast<lua_Number>(data.size()))) {
      luaL_argerror(lua, 2, "data string too short");
    }
    taken = static_cast<std::size_t>(size);
  }
  luaL_argcheck(lua, taken <= data.size(), 2, "data string too short");
  return data.substr(0, taken);
}

// Pushes the item at the front of `data`, if it has a value; returns how many bytes it took.
std::size_t PushItem(lua_State* lua, const Item& item, Bytes data, bool big_endian,
                     bool has_value) {
  std::size_t taken = 0;
  if (item.option == 's' || item.option == 'c') {
    const Bytes text = TakeText(lua, item, data, taken, has_value);
    PushBytes(lua, text);
    return taken;
  }
  taken = static_cast<std::size_t>(item.size);
  luaL_argcheck(lua, taken <= data.size(), 2, "data string too short");
  if (item.option == 'x') return taken;
  const std::uint64_t number = ReadInteger(data.substr(0, taken), big_endian);
  switch (item.option) {
    case 'f': lua_pushnumber(lua, std::bit_cast<float>(static_cast<std::uint32_t>(number))); break;
    case 'd': lua_pushnumber(lua, std::bit_cast<double>(number)); break;
    default: lua_pushnumber(lua, IntegerValue(item, number)); break;
  }
  return taken;
}

int UnpackStruct(lua_State* lua) {
  FormatReader format(lua, luaL_checkstring(lua, 1));
  luaL_checkstring(lua, 2);
  const Bytes data = ToBytes(lua, 2);
  const lua_Integer first = luaL_optinteger(lua, 3, 1);
  luaL_argcheck(lua, first > 0, 2, "data string too short");
  auto at = static_cast<std::size_t>(first - 1);
  lua_settop(lua, 2);
  while (const std::optional<Item> item = format.Next(at)) {
    const auto padding = static_cast<std::size_t>(item->padding);
    luaL_argcheck(lua, at <= data.size() && padding <= data.size() - at, 2,
                  "data string too short");
    at += padding;
    luaL_checkstack(lua, 2, "too many results");
    at += PushItem(lua, *item, data.substr(at), format.big_endian(), lua_gettop(lua) > 2);
  }
  lua_pushnumber(lua, static_cast<lua_Number>(at + 1));
  return lua_gettop(lua) - 2;
}

int Size(lua_State* lua) {
  FormatReader format(lua, luaL_checkstring(lua, 1));
  std::size_t size = 0;
  while (const std::optional<Item> item = format.Next(size)) {
    luaL_argcheck(lua, item->option != 's', 1, "option 's' has no fixed size");
    luaL_argcheck(lua, item->option != 'c' || item->size != 0, 1, "option 'c0' has no fixed size");
    size += static_cast<std::size_t>(item->padding) + static_cast<std::size_t>(item->size);
  }
  lua_pushnumber(lua, static_cast<lua_Number>(size));
  return 1;
}

}  // namespace

void PushStructLibrary(lua_State* lua) {
  // clang-format off
  static constexpr luaL_Reg kFunctions[] = {
      {"pack",   PackStruct},
      {"size",   Size},
      {"unpack", UnpackStruct},
  };
  // clang-format on
  lua_newtable(lua);
  for (const luaL_Reg& function : kFunctions) {
    lua_pushcfunction(lua, function.func);
    lua_setfield(lua, -2, function.name);
  }
}

}  // namespace mayfly::server
