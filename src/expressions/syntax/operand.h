// operand.h - what an expression computes with: a place in the item, a value, or a function of
// them.
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
  std::shared_ptr<const AttributeValue> value = {};  // Of kValue. Shared with its likes.
  std::vector<Operand> arguments = {};
};

// What is known without an item: nothing about a place in one.
std::optional<AttributeType> TypeOf(const Operand& operand);

// How large size() says it is: characters (of UTF-16) of a string, bytes of a binary, members,
// elements. Nothing for numbers, booleans and null.
std::optional<std::int64_t> SizeFunction(const AttributeValue& value);

}  // namespace mayfly::expressions
