// number_parts.h - the parts of a number: sign, digits, and their power of ten.
//   -0.0125 = -, "125", power -2: the first digit counts hundredths.
// Invariants: (1) Digits begin and end with something else than 0; zero has none. (2) MakeNumber
// and PartsOf are inverse.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mayfly/item.h"
#include "mayfly/result.h"

namespace mayfly::items {

struct NumberParts {
  bool negative = false;
  std::string digits = {};  // Empty: zero.
  int power = 0;            // Of ten, of the first digit.
};

NumberParts PartsOf(const Number& number);

// Of a text that is known to be in normal form.
Number FromNormalText(std::string text);

// Strips zeros off both ends of the digits; `power` is that of the first digit as given. Invalid,
// in DynamoDB's words, when there are too many digits or the power is out of range.
Result<Number> MakeNumber(bool negative, std::string_view digits, std::int64_t power);

}  // namespace mayfly::items
