// json_decoder.h - reads JSON into values of Lua, for `cjson.decode` of scripts.
#pragma once

#include <cstdint>
#include <lua.hpp>
#include <optional>
#include <string>

#include "mayfly/bytes.h"
#include "server/scripting/lua/json_settings.h"

namespace mayfly::server {

class JsonDecoder {
 public:
  // All must outlive it; a zero byte must follow the text, as it does in strings of Lua.
  JsonDecoder(lua_State* lua, const JsonSettings& settings, Bytes text)
      : lua_(lua), settings_(settings), text_(text) {}

  // Pushes the value. Anything but one JSON text is an error of Lua, with its position.
  void Decode();

 private:
  enum class Token : std::uint8_t {
    kObjectBegin,
    kObjectEnd,
    kArrayBegin,
    kArrayEnd,
    kString,
    kNumber,
    kTrue,
    kFalse,
    kNull,
    kColon,
    kComma,
    kEnd,
    kError,
  };

  void Value(int depth);
  void Object(int depth);
  void Array(int depth);

  // Reads the next token into token_ and its value.
  void Next();
  Token ReadToken();
  Token ReadString();
  Token ReadNumber();
  bool ReadEscape();
  std::optional<unsigned> HexDigits(std::size_t at) const;
  Token Fail(const char* why, std::size_t at);
  bool IsOddNumber(std::size_t at) const;
  bool HasWord(std::size_t at, Bytes small_letters) const;
  char At(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  [[noreturn]] void Expected(const char* what);
  void Descend(int depth);

  lua_State* const lua_;
  const JsonSettings& settings_;
  const Bytes text_;
  std::size_t at_ = 0;

  Token token_ = Token::kEnd;
  std::size_t token_at_ = 0;
  std::string string_;      // Of kString.
  double number_ = 0;       // Of kNumber.
  const char* error_ = "";  // Of kError.
};

}  // namespace mayfly::server
