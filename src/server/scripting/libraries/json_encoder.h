// json_encoder.h - writes a value of Lua as JSON, for `cjson.encode` of scripts.
#pragma once

#include <cstddef>
#include <lua.hpp>
#include <string>

#include "mayfly/bytes.h"
#include "server/scripting/lua/json_settings.h"

namespace mayfly::server {

class JsonEncoder {
 public:
  // A text of more than `bytes_max` is an error of Lua: a table may contain itself many times over,
  // so the memory of its values bounds nothing. All must outlive it.
  JsonEncoder(lua_State* lua, const JsonSettings& settings, std::size_t bytes_max)
      : lua_(lua), settings_(settings), bytes_max_(bytes_max) {}

  // Writes the value on top of the stack, which stays. A value that JSON cannot hold is an error of
  // Lua.
  void Encode() { Value(0); }

  Bytes text() const { return text_; }

 private:
  void Value(int depth);
  void Table(int depth);
  void Array(int length, int depth);
  void Object(int depth);
  void Key();
  void String(Bytes bytes);
  void Number(lua_Number number);

  // The last index of an array; 0 for an object.
  int ArrayLength();
  [[noreturn]] void Refuse(int index, const char* why);

  lua_State* const lua_;
  const JsonSettings& settings_;
  const std::size_t bytes_max_;
  std::string text_;
};

}  // namespace mayfly::server
