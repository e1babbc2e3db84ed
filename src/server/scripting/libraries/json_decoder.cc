#include "server/scripting/libraries/json_decoder.h"

#include <cstdlib>
#include <limits>

#include "base/text.h"
#include "server/scripting/lua/lua_errors.h"

namespace mayfly::server {
namespace {

void AppendUtf8(std::string& text, unsigned code) {
  const auto byte = [&text](unsigned bits) { text += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
}

}  // namespace

void JsonDecoder::Decode() {
  if (text_.size() >= 2 && (text_[0] == '\0' || text_[1] == '\0')) {
    luaL_error(lua_, "JSON parser does not support UTF-16 or UTF-32");
  }
  Next();
  Value(0);
  Next();
  if (token_ != Token::kEnd) Expected("the end");
}

void JsonDecoder::Expected(const char* what) {
  static constexpr const char* kNames[] = {
      "T_OBJ_BEGIN", "T_OBJ_END", "T_ARR_BEGIN", "T_ARR_END", "T_STRING", "T_NUMBER",
      "T_BOOLEAN",   "T_BOOLEAN", "T_NULL",      "T_COLON",   "T_COMMA",  "T_END",
  };
  const char* const found =
      token_ == Token::kError ? error_ : kNames[static_cast<std::size_t>(token_)];
  luaL_error(lua_, "Expected %s but found %s at character %d", what, found,
             static_cast<int>(token_at_ + 1));
  std::abort();
}

void JsonDecoder::Descend(int depth) {
  if (depth > settings_.decode_depth_max) {
    luaL_error(lua_, "Found too many nested data structures (%d) at character %d", depth,
               static_cast<int>(at_));
  }
  luaL_checkstack(lua_, 4, "JSON nested too deeply");
}

void JsonDecoder::Value(int depth) {
  switch (token_) {
    case Token::kString: PushBytes(lua_, string_); break;
    case Token::kNumber: lua_pushnumber(lua_, number_); break;
    case Token::kTrue: lua_pushboolean(lua_, 1); break;
    case Token::kFalse: lua_pushboolean(lua_, 0); break;
    case Token::kNull: lua_pushlightuserdata(lua_, nullptr); break;
    case Token::kObjectBegin: Object(depth + 1); break;
    case Token::kArrayBegin: Array(depth + 1); break;
    default: Expected("value");
  }
}

void JsonDecoder::Object(int depth) {
  Descend(depth);
  lua_newtable(lua_);
  Next();
  if (token_ == Token::kObjectEnd) return;
  while (true) {
    if (token_ != Token::kString) Expected("object key string");
    PushBytes(lua_, string_);
    Next();
    if (token_ != Token::kColon) Expected("colon");
    Next();
    Value(depth);
    lua_rawset(lua_, -3);
    Next();
    if (token_ == Token::kObjectEnd) return;
    if (token_ != Token::kComma) Expected("comma or object end");
    Next();
  }
}

void JsonDecoder::Array(int depth) {
  Descend(depth);
  lua_newtable(lua_);
  Next();
  if (token_ == Token::kArrayEnd) return;
  for (int i = 1; i < std::numeric_limits<int>::max(); ++i) {
    Value(depth);
    lua_rawseti(lua_, -2, i);
    Next();
    if (token_ == Token::kArrayEnd) return;
    if (token_ != Token::kComma) Expected("comma or array end");
    Next();
  }
  luaL_error(lua_, "not enough memory");
}

void JsonDecoder::Next() {
  while (At(at_) == ' ' || At(at_) == '\t' || At(at_) == '\n' || At(at_) == '\r') ++at_;
  token_at_ = at_;
  token_ = ReadToken();
}

JsonDecoder::Token JsonDecoder::Fail(const char* why, std::size_t at) {
  error_ = why;
  token_at_ = at;
  return Token::kError;
}

JsonDecoder::Token JsonDecoder::ReadToken() {
  const auto take = [this](std::size_t size, Token token) {
    at_ += size;
    return token;
  };
  const Bytes rest = text_.substr(at_);
  switch (At(at_)) {
    case '\0': return Token::kEnd;
    case '{': return take(1, Token::kObjectBegin);
    case '}': return take(1, Token::kObjectEnd);
    case '[': return take(1, Token::kArrayBegin);
    case ']': return take(1, Token::kArrayEnd);
    case ':': return take(1, Token::kColon);
    case ',': return take(1, Token::kComma);
    case '"': return ReadString();
    default: break;
  }
  if (rest.starts_with("true")) return take(4, Token::kTrue);
  if (rest.starts_with("false")) return take(5, Token::kFalse);
  if (rest.starts_with("null")) return take(4, Token::kNull);
  const bool plain = At(at_) == '-' || IsDigit(At(at_));
  const bool odd = IsOddNumber(at_);
  if (plain && odd && !settings_.decode_invalid) return Fail("invalid number", at_);
  if (plain || (odd && settings_.decode_invalid)) return ReadNumber();
  return Fail("invalid token", at_);
}

// Numbers that strtod() takes and JSON does not.
bool JsonDecoder::IsOddNumber(std::size_t at) const {
  if (At(at) == '+') return true;
  if (At(at) == '-') ++at;
  if (At(at) == '0') return ToLower(At(at + 1)) == 'x' || IsDigit(At(at + 1));
  return HasWord(at, "inf") || HasWord(at, "nan");
}

bool JsonDecoder::HasWord(std::size_t at, Bytes small_letters) const {
  for (std::size_t i = 0; i < small_letters.size(); ++i) {
    if (ToLower(At(at + i)) != small_letters[i]) return false;
  }
  return true;
}

JsonDecoder::Token JsonDecoder::ReadNumber() {
  const char* const begin = text_.data() + at_;
  char* end = nullptr;
  number_ = std::strtod(begin, &end);  // Stops at the zero byte behind the text at the latest.
  if (end == begin) return Fail("invalid number", at_);
  at_ += static_cast<std::size_t>(end - begin);
  return Token::kNumber;
}

JsonDecoder::Token JsonDecoder::ReadString() {
  string_.clear();
  ++at_;
  while (true) {
    const std::size_t end = text_.find_first_of(Bytes("\"\\\0", 3), at_);
    if (end == Bytes::npos || text_[end] == '\0') {
      return Fail("unexpected end of string", end == Bytes::npos ? text_.size() : end);
    }
    string_ += text_.substr(at_, end - at_);
    at_ = end + 1;
    if (text_[end] == '"') return Token::kString;
    if (At(at_) == 'u' && !ReadEscape()) return Fail("invalid unicode escape code", end);
    if (At(end + 1) == 'u') continue;
    static constexpr Bytes kLetters = "\"\\/bfnrt";
    static constexpr Bytes kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t which = At(at_) == '\0' ? Bytes::npos : kLetters.find(At(at_));
    if (which == Bytes::npos) return Fail("invalid escape code", end);
    string_ += kMeanings[which];
    ++at_;
  }
}

// At the u of \uXXXX, or of a pair of them. False: malformed.
bool JsonDecoder::ReadEscape() {
  const std::optional<unsigned> first = HexDigits(at_ + 1);
  if (!first) return false;
  at_ += 5;
  if (*first < 0xd800 || *first > 0xdfff) {
    AppendUtf8(string_, *first);
    return true;
  }
  if (*first > 0xdbff || At(at_) != '\\' || At(at_ + 1) != 'u') return false;
  const std::optional<unsigned> second = HexDigits(at_ + 2);
  if (!second || *second < 0xdc00 || *second > 0xdfff) return false;
  at_ += 6;
  AppendUtf8(string_, 0x10000 + ((*first & 0x3ff) << 10) + (*second & 0x3ff));
  return true;
}

std::optional<unsigned> JsonDecoder::HexDigits(std::size_t at) const {
  unsigned code = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    const int digit = HexValue(At(i));
    if (digit < 0) return std::nullopt;
    code = code * 16 + static_cast<unsigned>(digit);
  }
  return code;
}

}  // namespace mayfly::server
