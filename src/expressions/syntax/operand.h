// operand.h - an operand of an expression: a path in the item, a value, or a function of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "expressions/syntax/path.h"
#include "mayfly/item.h"

namespace mayfly::expressions {

struct Operand {
  enum class Kind : std::uint8_t {
    kPath,
    kValue,
    kSize,
    kIfNotExists,
    kListAppend,
    kAdd,
    kSubtract,
  };
  Kind kind = Kind::kValue;
  Path path = {};                                    // Of kPath.
  std::shared_ptr<const AttributeValue> value = {};  // Of kValue. Shared by its uses.
  std::vector<Operand> arguments = {};
};

// The type, if it is known without an item: that of a path is not.
std::optional<AttributeType> TypeOf(const Operand& operand);

// The result of size(): UTF-16 characters of a string, bytes of a binary, members, elements.
// Nothing for numbers, booleans and null.
std::optional<std::int64_t> SizeFunction(const AttributeValue& value);

}  // namespace mayfly::expressions
