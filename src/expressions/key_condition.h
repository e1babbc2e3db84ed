// key_condition.h - KeyConditionExpression: one partition, and a range of sort keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "expressions/syntax/arguments.h"
#include "mayfly/item.h"
#include "mayfly/result.h"
#include "mayfly/tables.h"

namespace mayfly::expressions {

struct SortCondition {
  enum class Kind : std::uint8_t {
    kEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kBetween,
    kBeginsWith
  };
  Kind kind = Kind::kEqual;
  AttributeValue value;
  AttributeValue upper;  // Of kBetween, inclusive.
};

// What can be said against the text without a table: its grammar, other operators.
Status CheckKeyCondition(std::string_view text, Arguments& arguments);

struct KeyCondition {
  AttributeValue partition;
  std::optional<SortCondition> sort;

  // For the keys of a table or index. Invalid, with DynamoDB's texts: grammar ("Invalid
  // KeyConditionExpression: ..."), other operators, other attributes ("Query condition missed key
  // schema element: ..."), values of another type than the key, reversed bounds.
  static Result<KeyCondition> Parse(std::string_view text, const KeyAttribute& partition,
                                    const std::optional<KeyAttribute>& sort, Arguments& arguments);
};

}  // namespace mayfly::expressions
