// Goal: a key condition is a partition and a range of sort keys, or is refused in DynamoDB's words.
// Method: tables of conditions for a table with a sort key of each type and one without.
#include "expressions/key_condition.h"

#include <gtest/gtest.h>

#include "expressions/case_table.h"
#include "expressions/value_text.h"

namespace mayfly::expressions {
namespace {

const KeyAttribute kPartition = {"pk", KeyType::kString};
const KeyAttribute kTextSort = {"sk", KeyType::kString};
const KeyAttribute kNumberSort = {"sk", KeyType::kNumber};
const KeyAttribute kBinarySort = {"sk", KeyType::kBinary};

std::string KindText(SortCondition::Kind kind) {
  switch (kind) {
    case SortCondition::Kind::kEqual: return "=";
    case SortCondition::Kind::kLess: return "<";
    case SortCondition::Kind::kLessOrEqual: return "<=";
    case SortCondition::Kind::kGreater: return ">";
    case SortCondition::Kind::kGreaterOrEqual: return ">=";
    case SortCondition::Kind::kBetween: return "between";
    case SortCondition::Kind::kBeginsWith: return "begins";
  }
  return "?";
}

// "'p' >= 5", or the message.
std::string Said(const std::string& text, const std::optional<KeyAttribute>& sort) {
  ExpressionArguments given;
  // clang-format off
  given.names = {
      {"#pk",    "pk"},
      {"#sk",    "sk"},
      {"#other", "name"}
  };
  const char* values[][2] = {
      {":p",  "'p'"},
      {":q",  "'q'"},
      {":e",  "''"},
      {":n",  "5"},
      {":m",  "6"},
      {":b",  "b'x'"},
      {":c",  "b'y'"},
      {":eb", "b''"},
      {":t",  "true"},
      {":f",  "false"},
      {":l",  "[1]"},
      {":N",  "'N'"},
  };
  // clang-format on
  for (const auto& [name, value] : values) given.values.emplace(name, ValueOf(value));
  Arguments arguments(given);
  const auto condition = KeyCondition::Parse(text, kPartition, sort, arguments);
  if (!condition) {
    EXPECT_EQ(condition.error().code(), StatusCode::kInvalid) << text;
    return std::string(condition.error().message());
  }
  std::string said = TextOf(condition->partition);
  if (!condition->sort) return said;
  said += " " + KindText(condition->sort->kind) + " " + TextOf(condition->sort->value);
  if (condition->sort->kind == SortCondition::Kind::kBetween) {
    said += " " + TextOf(condition->sort->upper);
  }
  return said;
}

void Play(const char* table, const std::optional<KeyAttribute>& sort) {
  for (const Case& one : ReadCases(table))
    EXPECT_EQ(Said(one.text, sort), one.expected) << one.text;
}

TEST(KeyCondition, IsAPartitionAndARange) {
  Play(R"table(
pk = :p                                => 'p'
:p = pk                                => 'p'
#pk = :p                               => 'p'
(pk = :p)                              => 'p'
pk = :p AND sk = :q                    => 'p' = 'q'
sk = :q and pk = :p                    => 'p' = 'q'
(pk = :p) AND (sk = :q)                => 'p' = 'q'
pk = :p AND sk < :q                    => 'p' < 'q'
pk = :p AND sk <= :q                   => 'p' <= 'q'
pk = :p AND sk > :q                    => 'p' > 'q'
pk = :p AND sk >= :q                   => 'p' >= 'q'
pk = :p AND :q < sk                    => 'p' > 'q'
pk = :p AND :q <= sk                   => 'p' >= 'q'
pk = :p AND :q > sk                    => 'p' < 'q'
pk = :p AND :q >= sk                   => 'p' <= 'q'
pk = :p AND #sk BETWEEN :p AND :q      => 'p' between 'p' 'q'
pk = :p AND begins_with(sk, :q)        => 'p' begins 'q'
begins_with ( sk , :q ) AND pk = :p    => 'p' begins 'q'
)table",
       kTextSort);
  Play(R"table(
pk = :p AND sk > :n                    => 'p' > 5
pk = :p AND sk BETWEEN :n AND :m       => 'p' between 5 6
)table",
       kNumberSort);
  Play(R"table(
pk = :p AND sk = :b                    => 'p' = b'x'
pk = :p AND begins_with(sk, :b)        => 'p' begins b'x'
)table",
       kBinarySort);
  EXPECT_EQ(Said("pk = :p", std::nullopt), "'p'");
}

TEST(KeyCondition, RefusesOtherAttributes) {
  Play(R"table(
sk = :q                      => Query condition missed key schema element: pk
x = :q                       => Query condition missed key schema element: pk
x = :p AND sk = :q           => Query condition missed key schema element: pk
pk = :p AND x = :q           => Query condition missed key schema element: sk
pk = :p AND #other = :q      => Query condition missed key schema element: sk
pk = :p AND sk > :p AND x = :q
    The number of query conditions (3) exceeds the number of key attributes defined in the schema
    (2)
pk = :p AND sk > :p AND sk < :q
    Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key
pk = :p AND pk = :q
    Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key
(pk = :p and sk > :p) and (sk > :p and x > :p)
    Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key
)table",
       kTextSort);
  EXPECT_EQ(Said("pk = :p AND sk = :q", std::nullopt), "Query key condition not supported");
}

TEST(KeyCondition, RefusesOtherOperators) {
  Play(R"table(
pk > :p                              => Query key condition not supported
pk <= :p AND sk = :q                 => Query key condition not supported
begins_with(pk, :p)                  => Query key condition not supported
pk BETWEEN :p AND :q                 => Query key condition not supported
pk <> :p                             => Invalid operator used in KeyConditionExpression: <>
pk = :p OR pk = :q                   => Invalid operator used in KeyConditionExpression: OR
pk = :p AND (sk = :p OR sk = :q)     => Invalid operator used in KeyConditionExpression: OR
a > b and size(b) > c or a > c       => Invalid operator used in KeyConditionExpression: OR
NOT pk = :p                          => Invalid operator used in KeyConditionExpression: NOT
pk IN (:p)                           => Invalid operator used in KeyConditionExpression: IN
pk = :p AND sk IN (:p, :q)           => Invalid operator used in KeyConditionExpression: IN
attribute_exists(pk)
    Invalid operator used in KeyConditionExpression: attribute_exists
attribute_not_exists(pk)
    Invalid operator used in KeyConditionExpression: attribute_not_exists
attribute_type(pk, :N)
    Invalid operator used in KeyConditionExpression: attribute_type
pk = :p AND contains(sk, :q)
    Invalid operator used in KeyConditionExpression: contains
)table",
       kTextSort);
}

TEST(KeyCondition, RefusesOtherOperands) {
  Play(R"table(
pk = :p AND size(sk) > :n
    KeyConditionExpressions cannot contain nested operations
a > size(b.d)
    KeyConditionExpressions cannot contain nested operations
a between size(b) and size(c)
    KeyConditionExpressions cannot contain nested operations
b > a.b
    Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition
pk = sk
    Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition
a between b and size(c)
    Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition
begins_with(a, b)
    Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition
a.d > c
    KeyConditionExpressions cannot have conditions on nested attributes
b[0] > a
    KeyConditionExpressions cannot have conditions on nested attributes
pk = :p AND sk.x = :q
    KeyConditionExpressions cannot have conditions on nested attributes
:p = :q AND pk = :p
    Invalid condition in KeyConditionExpression: No key attribute specified
:p between size(b) and size(a) and b > :q
    Invalid condition in KeyConditionExpression: BETWEEN operator must have the key attribute as
    its first operand
begins_with(:p, b) and a > :q
    Invalid condition in KeyConditionExpression: begins_with operator must have the key attribute
    as its first operand
)table",
       kTextSort);
}

TEST(KeyCondition, RefusesOtherTypes) {
  const char* numbers = R"table(
pk = :n
    One or more parameter values were invalid: Condition parameter type does not match schema type
pk > :n
    One or more parameter values were invalid: Condition parameter type does not match schema type
pk = :p AND sk = :q
    One or more parameter values were invalid: Condition parameter type does not match schema type
pk = :p AND sk = :t
    One or more parameter values were invalid: Condition parameter type does not match schema type
pk = :p AND begins_with(sk, :q)
    One or more parameter values were invalid: Condition parameter type does not match schema type
pk = :p AND sk BETWEEN :p AND :q
    One or more parameter values were invalid: Condition parameter type does not match schema type
pk = :p AND begins_with(sk, :n)
    Invalid KeyConditionExpression: Incorrect operand type for operator or function;
    operator or function: begins_with, operand type: N
pk = :p AND sk < :t
    Invalid KeyConditionExpression: Incorrect operand type for operator or function;
    operator or function: <, operand type: BOOL
pk = :p AND :t >= sk
    Invalid KeyConditionExpression: Incorrect operand type for operator or function;
    operator or function: >=, operand type: BOOL
pk = :p AND sk BETWEEN :f AND :t
    Invalid KeyConditionExpression: Incorrect operand type for operator or function;
    operator or function: BETWEEN, operand type: BOOL
pk = :p AND sk BETWEEN :m AND :n
    Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or
    equal to lower bound; lower bound operand: AttributeValue: {N:6}, upper bound operand:
    AttributeValue: {N:5}
pk = :p AND sk BETWEEN :n AND :q
    Invalid KeyConditionExpression: The BETWEEN operator requires same data type for lower and upper
    bounds; lower bound operand: AttributeValue: {N:5}, upper bound operand: AttributeValue: {S:q}
pk = :e
    One or more parameter values are not valid. The AttributeValue for a key attribute cannot
    contain an empty string value. Key: pk
)table";
  Play(numbers, kNumberSort);
  EXPECT_EQ(Said("pk = :p AND sk = :eb", kBinarySort),
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty binary value. Key: sk");
}

TEST(KeyCondition, RefusesWhatIsNoCondition) {
  Play(R"table(
pk = 4         => Invalid KeyConditionExpression: Syntax error; token: "4", near: "= 4"
pk = :p AND    => Invalid KeyConditionExpression: Syntax error; token: "<EOF>", near: "AND"
((pk = :p))    => Invalid KeyConditionExpression: The expression has redundant parentheses;
name = :p
    Invalid KeyConditionExpression: Attribute name is a reserved keyword; reserved keyword: name
#x = :p
    Invalid KeyConditionExpression: An expression attribute name used in the document path is not
    defined; attribute name: #x
pk = :x
    Invalid KeyConditionExpression: An expression attribute value used in expression is not
    defined; attribute value: :x
)table",
       kTextSort);
  EXPECT_EQ(Said("", kTextSort),
            "Invalid KeyConditionExpression: The expression can not be empty;");
}

}  // namespace
}  // namespace mayfly::expressions
