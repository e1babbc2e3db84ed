#include "items/number_parts.h"

#include <utility>

#include "items/limits.h"

namespace mayfly {

struct NumberAccess {
  static Number FromNormalText(std::string text) {
    Number number;
    number.text_ = std::move(text);
    return number;
  }
};

namespace items {
namespace {

std::string PlainText(bool negative, std::string_view digits, int power) {
  std::string text;
  if (negative) text += '-';
  // Digits in front of the point.
  const std::size_t whole = power < 0 ? 0 : static_cast<std::size_t>(power) + 1;
  if (whole == 0) {
    text += "0.";
    text.append(static_cast<std::size_t>(-power - 1), '0');
    text += digits;
  } else if (digits.size() <= whole) {
    text += digits;
    text.append(whole - digits.size(), '0');
  } else {
    text += digits.substr(0, whole);
    text += '.';
    text += digits.substr(whole);
  }
  return text;
}

}  // namespace

NumberParts PartsOf(const Number& number) {
  std::string_view text = number.text();
  NumberParts parts;
  parts.negative = text.starts_with('-');
  if (parts.negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  parts.power = static_cast<int>(point == text.npos ? text.size() : point) - 1;
  parts.digits = text.substr(0, point);
  if (point != text.npos) parts.digits += text.substr(point + 1);
  const std::size_t first = parts.digits.find_first_not_of('0');
  if (first == std::string::npos) return {};
  parts.digits.erase(0, first);
  parts.power -= static_cast<int>(first);
  parts.digits.erase(parts.digits.find_last_not_of('0') + 1);
  return parts;
}

Number FromNormalText(std::string text) { return NumberAccess::FromNormalText(std::move(text)); }

Result<Number> MakeNumber(bool negative, std::string_view digits, std::int64_t power) {
  const std::size_t first = digits.find_first_not_of('0');
  if (first == digits.npos) return Number();
  digits.remove_prefix(first);
  power -= static_cast<std::int64_t>(first);
  digits = digits.substr(0, digits.find_last_not_of('0') + 1);
  if (power > kNumberPowerMax) {
    return Status::Invalid(
        "Number overflow. Attempting to store a number with magnitude larger than supported range");
  }
  if (power < kNumberPowerMin) {
    return Status::Invalid(
        "Number underflow. Attempting to store a number with magnitude smaller than supported "
        "range");
  }
  if (digits.size() > kNumberDigitsMax) {
    return Status::Invalid("Attempting to store more than 38 significant digits in a Number");
  }
  return FromNormalText(PlainText(negative, digits, static_cast<int>(power)));
}

}  // namespace items
}  // namespace mayfly
