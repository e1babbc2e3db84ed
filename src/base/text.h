// text.h - letters and digits of ASCII, whatever the locale of the process: bytes beyond ASCII are no
// letters and have no case. Not <cctype>, whose answers a library's user changes with setlocale().
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "mayfly/bytes.h"

namespace mayfly {

constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLetter(char c) { return IsUpper(c) || IsLower(c); }
constexpr bool IsLetterOrDigit(char c) { return IsLetter(c) || IsDigit(c); }
constexpr bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool IsPrintable(char c) { return c >= ' ' && c <= '~'; }

constexpr char ToLower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr char ToUpper(char c) { return IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c; }
std::string ToLower(std::string_view text);
std::string ToUpper(std::string_view text);

inline bool EqualsIgnoringCase(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (ToLower(one[i]) != ToLower(other[i])) return false;
  }
  return true;
}

// The value of a hexadecimal digit in either case; -1 for what is none.
constexpr int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = ToLower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
constexpr bool IsLowerHexDigit(char c) { return HexValue(c) >= 0 && !IsUpper(c); }

// Two digits a byte, in lower case.
std::string ToHex(Bytes bytes);
std::string ToHex(const unsigned char* bytes, std::size_t size);

// The bytes of pairs of digits in either case; nothing for other text.
std::optional<std::string> FromHex(std::string_view digits);

// Appends \xNN.
void AppendEscape(std::string& text, char byte);

}  // namespace mayfly
