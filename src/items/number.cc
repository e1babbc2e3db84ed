// number.cc - parses, compares, adds and subtracts numbers of up to 38 digits.
#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "items/limits.h"
#include "items/number_parts.h"
#include "mayfly/item.h"

namespace mayfly {
namespace {

using items::MakeNumber;
using items::NumberParts;
using items::PartsOf;

// Holds two numbers of 38 digits nearly side by side, and the carry of their sum.
using Wide = boost::multiprecision::int256_t;
constexpr int kWideDigits = 2 * items::kNumberDigitsMax - 1;
static_assert(kWideDigits + 1 <= std::numeric_limits<Wide>::digits10);

// A larger exponent is out of range, whatever the digits in front of it are.
constexpr std::int64_t kExponentBound = 1'000'000'000;

// Whether it is a short whole number in normal form, as most numbers are.
bool IsShortWhole(std::string_view text) {
  constexpr std::size_t kShort = 18;
  if (text.empty() || text.size() > kShort) return false;
  return std::all_of(text.begin(), text.end(), IsDigit) &&
         (text.front() != '0' || text.size() == 1);
}

// Takes the digits off the front.
std::string_view TakeDigits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), IsDigit);
  const auto size = static_cast<std::size_t>(end - text.begin());
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

bool TakeSign(std::string_view& text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return negative;
}

// The exponent behind the digits, if any. False: malformed.
bool ReadExponent(std::string_view text, std::int64_t& exponent) {
  exponent = 0;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  const bool negative = TakeSign(text);
  if (text.empty()) return false;
  for (const char c : text) {
    if (!IsDigit(c)) return false;
    exponent = std::min(exponent * 10 + (c - '0'), kExponentBound);
  }
  if (negative) exponent = -exponent;
  return true;
}

// The power of ten of the last digit.
int LastPower(const NumberParts& parts) {
  return parts.power - static_cast<int>(parts.digits.size()) + 1;
}

// In units of 10^unit, which is no larger than the last digit's.
Wide Scaled(const NumberParts& parts, int unit) {
  std::string digits = parts.digits;
  digits.append(static_cast<std::size_t>(LastPower(parts) - unit), '0');
  const Wide value(digits);
  return parts.negative ? Wide(-value) : value;
}

// Of a whole number that is short enough to be added to another.
std::optional<std::int64_t> SmallWhole(const Number& number) {
  constexpr std::size_t kDigitsMax = 17;
  const std::string& text = number.text();
  std::int64_t value = 0;
  if (text.size() > kDigitsMax) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<Number> Number::Parse(std::string_view text) {
  if (IsShortWhole(text)) return items::FromNormalText(std::string(text));
  const auto no_number = [whole = text] {
    return Status::Invalid("The parameter cannot be converted to a numeric value: " +
                           std::string(whole));
  };
  if (text.empty()) return Status::Invalid("The parameter cannot be converted to a numeric value");
  const bool negative = TakeSign(text);
  std::string digits(TakeDigits(text));
  const auto whole = static_cast<std::int64_t>(digits.size());
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += TakeDigits(text);
  }
  std::int64_t exponent = 0;
  if (digits.empty() || !ReadExponent(text, exponent)) return no_number();
  return MakeNumber(negative, digits, whole - 1 + exponent);
}

std::strong_ordering operator<=>(const Number& a, const Number& b) {
  std::string_view left = a.text_;
  std::string_view right = b.text_;
  const bool negative = left.starts_with('-');
  if (negative != right.starts_with('-')) {
    return negative ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (negative) {
    left.remove_prefix(1);
    right.remove_prefix(1);
    std::swap(left, right);
  }
  // Without leading zeros the longer whole part is the larger; then digit by digit, and a fraction
  // that goes on is larger than one that ends.
  const std::size_t left_whole = std::min(left.find('.'), left.size());
  const std::size_t right_whole = std::min(right.find('.'), right.size());
  if (left_whole != right_whole) return left_whole <=> right_whole;
  return left <=> right;
}

Result<Number> Add(const Number& a, const Number& b) {
  const auto small_a = SmallWhole(a);
  const auto small_b = SmallWhole(b);
  if (small_a && small_b) return Number(*small_a + *small_b);  // The common case: counters.
  const NumberParts left = PartsOf(a);
  const NumberParts right = PartsOf(b);
  if (left.digits.empty()) return b;
  if (right.digits.empty()) return a;
  const int unit = std::min(LastPower(left), LastPower(right));
  if (std::max(left.power, right.power) - unit >= kWideDigits) {
    // The last digit of one is so far from the first of the other that the sum has too many digits.
    return Status::Invalid("Attempting to store more than 38 significant digits in a Number");
  }
  const Wide sum = Scaled(left, unit) + Scaled(right, unit);
  const std::string digits = Wide(abs(sum)).str();
  return MakeNumber(sum < 0, digits, unit + static_cast<std::int64_t>(digits.size()) - 1);
}

Result<Number> Subtract(const Number& a, const Number& b) {
  const NumberParts parts = PartsOf(b);
  MAYFLY_TRY(const Number negated, MakeNumber(!parts.negative, parts.digits, parts.power));
  return Add(a, negated);
}

}  // namespace mayfly
