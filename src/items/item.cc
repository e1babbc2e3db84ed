#include "mayfly/item.h"

#include <array>

namespace mayfly {
namespace {

// In the order of AttributeType.
constexpr std::array<std::string_view, 10> kTypeNames = {"S", "N", "B",  "BOOL", "NULL",
                                                         "L", "M", "SS", "NS",   "BS"};

}  // namespace

std::string_view AttributeTypeName(AttributeType type) {
  return kTypeNames.at(static_cast<std::size_t>(type));
}

bool operator==(const AttributeValue& a, const AttributeValue& b) { return a.value_ == b.value_; }

}  // namespace mayfly
