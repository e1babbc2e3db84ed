// value_text.h - values as short texts, for tables of cases.
//   'text'   12.5   b'bytes'   true   null   [1, 'a']   {a: 1, b: {c: 2}}   <1, 2>   <'a', 'b'>
#pragma once

#include <string>
#include <string_view>

#include "mayfly/item.h"

namespace mayfly::expressions {

// A text that is none ends the test.
AttributeValue ValueOf(std::string_view text);
Item ItemOf(std::string_view text);

std::string TextOf(const AttributeValue& value);

}  // namespace mayfly::expressions
