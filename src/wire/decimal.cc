#include "wire/decimal.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace mayfly {
namespace {

// Integers below this are exact in a double, and "%.17g" writes them without an exponent.
constexpr double kExactMax = 9007199254740992.0;

char* WriteText(char* out, Bytes text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

}  // namespace

bool ReadInteger(Bytes text, std::int64_t& value) {
  const Bytes digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty()) return false;
  if (digits.front() == '0' && text.size() > 1) return false;
  std::int64_t read = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, read);
  if (error != std::errc() || stop != end) return false;
  value = read;
  return true;
}

char* WriteInteger(char* out, std::int64_t value) {
  return std::to_chars(out, out + kDecimalBytesMax, value).ptr;
}

char* WriteCount(char* out, std::uint64_t value) {
  if (value < 10) {
    *out = static_cast<char>('0' + value);
    return out + 1;
  }
  return std::to_chars(out, out + kDecimalBytesMax, value).ptr;
}

char* WriteDouble(char* out, double value) {
  if (std::isnan(value)) return WriteText(out, "nan");
  if (std::isinf(value)) return WriteText(out, value > 0 ? "inf" : "-inf");
  // Most scores are whole numbers, and those are written much faster as such. -0 is not one.
  const bool exact = std::abs(value) < kExactMax && std::trunc(value) == value;
  if (exact && !(value == 0 && std::signbit(value))) {
    return WriteInteger(out, static_cast<std::int64_t>(value));
  }
  return std::to_chars(out, out + kDecimalBytesMax, value, std::chars_format::general, 17).ptr;
}

bool ReadDouble(Bytes text, double& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  double read = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, read);
  if (error != std::errc() || stop != end) return false;
  value = read;
  return true;
}

}  // namespace mayfly
