// compare.h - compares values of one type.
#pragma once

#include <compare>

#include "mayfly/item.h"

namespace mayfly::items {

// Strings and binaries by their bytes, numbers by value. Unordered for other types, and for values
// of two types.
std::partial_ordering Compare(const AttributeValue& a, const AttributeValue& b);

}  // namespace mayfly::items
