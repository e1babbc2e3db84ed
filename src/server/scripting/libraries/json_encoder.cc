#include "server/scripting/libraries/json_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "server/scripting/lua/lua_errors.h"

namespace mayfly::server {

void JsonEncoder::Refuse(int index, const char* why) {
  luaL_error(lua_, "Cannot serialise %s: %s", luaL_typename(lua_, index), why);
  std::abort();  // luaL_error() does not return, and is not declared so.
}

void JsonEncoder::Value(int depth) {
  if (text_.size() > bytes_max_) luaL_error(lua_, "not enough memory");
  switch (lua_type(lua_, -1)) {
    case LUA_TSTRING: String(ToBytes(lua_, -1)); break;
    case LUA_TNUMBER: Number(lua_tonumber(lua_, -1)); break;
    case LUA_TBOOLEAN: text_ += lua_toboolean(lua_, -1) != 0 ? "true" : "false"; break;
    case LUA_TTABLE: Table(depth + 1); break;
    case LUA_TNIL: text_ += "null"; break;
    case LUA_TLIGHTUSERDATA:
      if (lua_touserdata(lua_, -1) == nullptr) {
        text_ += "null";
        break;
      }
      [[fallthrough]];
    default: Refuse(-1, "type not supported");
  }
}

void JsonEncoder::Table(int depth) {
  if (depth > settings_.encode_depth_max) {
    luaL_error(lua_, "Cannot serialise, excessive nesting (%d)", depth);
  }
  luaL_checkstack(lua_, 4, "JSON nested too deeply");
  const int length = ArrayLength();
  if (length > 0) {
    Array(length, depth);
  } else {
    Object(depth);
  }
}

int JsonEncoder::ArrayLength() {
  constexpr lua_Number kMax = std::numeric_limits<int>::max();
  lua_Number last = 0;
  lua_Number count = 0;
  lua_pushnil(lua_);
  while (lua_next(lua_, -2) != 0) {
    const lua_Number key = lua_type(lua_, -2) == LUA_TNUMBER ? lua_tonumber(lua_, -2) : 0;
    if (!(key >= 1 && key <= kMax && std::floor(key) == key)) {
      lua_pop(lua_, 2);
      return 0;
    }
    last = std::max(last, key);
    ++count;
    lua_pop(lua_, 1);
  }
  const bool sparse = settings_.sparse_ratio > 0 && last > count * settings_.sparse_ratio &&
                      last > settings_.sparse_safe;
  if (!sparse) return static_cast<int>(last);
  if (!settings_.sparse_as_object) Refuse(-1, "excessively sparse array");
  return 0;
}

void JsonEncoder::Array(int length, int depth) {
  text_ += '[';
  for (int i = 1; i <= length; ++i) {
    if (i > 1) text_ += ',';
    lua_rawgeti(lua_, -1, i);
    Value(depth);
    lua_pop(lua_, 1);
    if (i == length) break;  // The largest integer has no next.
  }
  text_ += ']';
}

void JsonEncoder::Object(int depth) {
  text_ += '{';
  bool first = true;
  lua_pushnil(lua_);
  while (lua_next(lua_, -2) != 0) {
    if (!first) text_ += ',';
    first = false;
    Key();
    Value(depth);
    lua_pop(lua_, 1);
  }
  text_ += '}';
}

// Writes the key below the value on top.
void JsonEncoder::Key() {
  switch (lua_type(lua_, -2)) {
    case LUA_TNUMBER:  // Read as a number: made a string, it would break lua_next().
      text_ += '"';
      Number(lua_tonumber(lua_, -2));
      text_ += '"';
      break;
    case LUA_TSTRING: String(ToBytes(lua_, -2)); break;
    default: Refuse(-2, "table key must be a number or string");
  }
  text_ += ':';
}

void JsonEncoder::String(Bytes bytes) {
  if (bytes.size() > bytes_max_ - std::min(bytes_max_, text_.size())) {
    luaL_error(lua_, "not enough memory");
  }
  text_ += '"';
  for (const char byte : bytes) {
    switch (byte) {
      case '"': text_ += "\\\""; break;
      case '\\': text_ += "\\\\"; break;
      case '/': text_ += "\\/"; break;
      case '\b': text_ += "\\b"; break;
      case '\f': text_ += "\\f"; break;
      case '\n': text_ += "\\n"; break;
      case '\r': text_ += "\\r"; break;
      case '\t': text_ += "\\t"; break;
      default:
        if (const auto code = static_cast<unsigned char>(byte); code < 0x20 || code == 0x7f) {
          text_ += fmt::format("\\u{:04x}", code);
        } else {
          text_ += byte;
        }
    }
  }
  text_ += '"';
}

void JsonEncoder::Number(lua_Number number) {
  if (std::isnan(number) || std::isinf(number)) {
    switch (settings_.encode_invalid) {
      case InvalidNumbers::kRefused: Refuse(-1, "must not be NaN or Inf");
      case InvalidNumbers::kNull: text_ += "null"; return;
      case InvalidNumbers::kWritten:
        text_ += std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
        return;
    }
  }
  std::array<char, 64> text;
  const int size = std::snprintf(text.data(), text.size(), "%.*g", settings_.precision, number);
  text_.append(text.data(), static_cast<std::size_t>(size));
}

}  // namespace mayfly::server
