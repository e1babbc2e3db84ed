// Goal: what is no update is refused in DynamoDB's words, and of several faults the one it tells.
// Method: tables of texts and messages.
#include <gtest/gtest.h>

#include "expressions/case_table.h"
#include "expressions/update.h"
#include "expressions/value_text.h"

namespace mayfly::expressions {
namespace {

ExpressionArguments UpdateErrorArguments() {
  ExpressionArguments given;
  // clang-format off
  given.names = {
      {"#a", "a"},
      {"#c", "c"},
      {"#d", "[3]"}
  };
  const char* values[][2] = {
      {":n",   "1"},
      {":s",   "'a'"},
      {":b",   "b'a'"},
      {":t",   "true"},
      {":nul", "null"},
      {":l",   "[1]"},
      {":map", "{x: 1}"},
      {":ss",  "<'a'>"},
      {":ns",  "<1>"},
  };
  // clang-format on
  for (const auto& [name, text] : values) given.values.emplace(name, ValueOf(text));
  return given;
}

void PlayErrors(const char* table) {
  const ExpressionArguments given = UpdateErrorArguments();
  for (const Case& one : ReadCases(table)) {
    Arguments arguments(given);
    const auto update = Update::Parse(one.text, arguments);
    ASSERT_FALSE(update.has_value()) << one.text;
    EXPECT_EQ(update.error().code(), StatusCode::kInvalid) << one.text;
    EXPECT_EQ(update.error().message(), "Invalid UpdateExpression: " + one.expected) << one.text;
  }
}

TEST(UpdateErrors, TellWhereTheSyntaxEnds) {
  PlayErrors(R"table(
whatever                      => Syntax error; token: "whatever", near: "whatever"
SET                           => Syntax error; token: "<EOF>", near: "SET"
set a                         => Syntax error; token: "<EOF>", near: "a"
set a =                       => Syntax error; token: "<EOF>", near: "="
set a = :n,                   => Syntax error; token: "<EOF>", near: ","
set a = :n b = :n             => Syntax error; token: "b", near: ":n b ="
set a=set                     => Syntax error; token: "set", near: "=set"
add a                         => Syntax error; token: "<EOF>", near: "a"
delete a                      => Syntax error; token: "<EOF>", near: "a"
remove a = b                  => Syntax error; token: "=", near: "a = b"
remove a b                    => Syntax error; token: "b", near: "a b"
remove                        => Syntax error; token: "<EOF>", near: "remove"
add a = b                     => Syntax error; token: "=", near: "a = b"
add abort b                   => Syntax error; token: "b", near: "abort b"
add a (:n)                    => Syntax error; token: "(", near: "a (:n"
add a if_not_exist(b)         => Syntax error; token: "if_not_exist", near: "a if_not_exist("
delete a = b                  => Syntax error; token: "=", near: "a = b"
delete a b                    => Syntax error; token: "b", near: "a b"
set a b                       => Syntax error; token: "b", near: "a b"
set :n = b                    => Syntax error; token: ":n", near: "set :n ="
add :n b                      => Syntax error; token: ":n", near: "add :n b"
remove :n                     => Syntax error; token: ":n", near: "remove :n"
set a = b / c                 => Syntax error; token: "/", near: "b / c"
set a = b * c                 => Syntax error; token: "*", near: "b * c"
set a = "eight"               => Syntax error; token: """, near: "= "eight"
set a[1] = 1                  => Syntax error; token: "1", near: "= 1"
set a = if_not_exists(a, 100) => Syntax error; token: "100", near: ", 100)"
SET if_not_exists(a, b) = a   => Syntax error; token: "(", near: "if_not_exists(a"
set (a = (b + c))             => Syntax error; token: "(", near: "set (a"
set a = (b.c).d + e           => Syntax error; token: ".", near: ").d"
set a = (b.c)[0] + e          => Syntax error; token: "[", near: ")[0"
set a = b + c + d             => Syntax error; token: "+", near: "c + d"
set a = (b + c) + d           => Syntax error; token: "+", near: ") + d"
set a = b + (c + d)           => Syntax error; token: "+", near: "c + d"
set a = if_not_exists(a, b + c)   => Syntax error; token: "+", near: "b + c"
set a = -:n                   => Syntax error; token: "-", near: "= -:n"
set a += :n                   => Syntax error; token: "+", near: "a +="
set a = b = c                 => Syntax error; token: "=", near: "b = c"
set a = (b                    => Syntax error; token: "<EOF>", near: "b"
, set a = :n                  => Syntax error; token: ",", near: ", set"
set _a = :n                   => Syntax error; token: "_", near: "set _a"
set a. = :n                   => Syntax error; token: "=", near: ". = :n"
SET a = ((b))                 => The expression has redundant parentheses;
SET a = ((b + c))             => The expression has redundant parentheses;
SET a = list_append(((b)), c) => The expression has redundant parentheses;
)table");
}

TEST(UpdateErrors, TellReservedWordsAndClausesGivenTwice) {
  PlayErrors(R"table(
set #x = :x set abOrt = true
    Attribute name is a reserved keyword; reserved keyword: abOrt
remove Absolute
    Attribute name is a reserved keyword; reserved keyword: Absolute
add abort :n
    Attribute name is a reserved keyword; reserved keyword: abort
set a = size
    Attribute name is a reserved keyword; reserved keyword: size
set a = :n remove m.user
    Attribute name is a reserved keyword; reserved keyword: user
set and = :n
    Attribute name is a reserved keyword; reserved keyword: and
set a[2147483648] = :n
    List index is not within the allowable range; index: [2147483648]
set a = #x set c = :d
    The "SET" section can only be used once in an update expression;
remove #x set a = b remove e
    The "REMOVE" section can only be used once in an update expression;
add #x :e set a = b add e :f
    The "ADD" section can only be used once in an update expression;
delete #x :e set a = b delete #y :f
    The "DELETE" section can only be used once in an update expression;
)table");
}

TEST(UpdateErrors, TellFunctionsThatAreNoneOrElsewhere) {
  PlayErrors(R"table(
set #x = if_not_exist(:x) set c = d  => Invalid function name; function: if_not_exist
set a = IF_NOT_EXISTS(a, :n)         => Invalid function name; function: IF_NOT_EXISTS
set a = list_append(b, f(c))         => Invalid function name; function: f
set a = size(b)
    The function is not allowed in an update expression; function: size
set a = contains(b, :n)
    The function is not allowed in an update expression; function: contains
set a = if_not_exists(a, attribute_exists(b))
    The function is not allowed in an update expression; function: attribute_exists
)table");
}

TEST(UpdateErrors, TellPlaceholdersThatAreNotDefined) {
  PlayErrors(R"table(
SET #x = if_not_exists(:x)
    An expression attribute name used in the document path is not defined; attribute name: #x
SET a = #x
    An expression attribute name used in the document path is not defined; attribute name: #x
SET a = :x, b = #x
    An expression attribute name used in the document path is not defined; attribute name: #x
REMOVE a.#x
    An expression attribute name used in the document path is not defined; attribute name: #x
SET a = :x
    An expression attribute value used in expression is not defined; attribute value: :x
SET a = b + :x
    An expression attribute value used in expression is not defined; attribute value: :x
ADD a :x
    An expression attribute value used in expression is not defined; attribute value: :x
SET a = :x DELETE b :y
    An expression attribute value used in expression is not defined; attribute value: :y
)table");
}

TEST(UpdateErrors, TellPathsThatCannotGoTogether) {
  PlayErrors(R"table(
SET a = :n, a = :s
    Two document paths overlap with each other; must remove or rewrite one of these paths;
    path one: [a], path two: [a]
SET a = :n, #a = :s
    Two document paths overlap with each other; must remove or rewrite one of these paths;
    path one: [a], path two: [a]
SET a = :n REMOVE a.b
    Two document paths overlap with each other; must remove or rewrite one of these paths;
    path one: [a], path two: [a, b]
set d[1] = a, d.b = a, c[1].a = a, #c = if_not_exists(a)
    Two document paths overlap with each other; must remove or rewrite one of these paths;
    path one: [c, [1], a], path two: [c]
set #c[3].#d = a, #c[3] = a
    Two document paths overlap with each other; must remove or rewrite one of these paths;
    path one: [c, [3], [3]], path two: [c, [3]]
REMOVE l[1], l[1]
    Two document paths overlap with each other; must remove or rewrite one of these paths;
    path one: [l, [1]], path two: [l, [1]]
ADD x :n DELETE x :ss
    Two document paths overlap with each other; must remove or rewrite one of these paths;
    path one: [x], path two: [x]
set #c[3].#d = a, #c.#d[3] = if_not_exists(a)
    Two document paths conflict with each other; must remove or rewrite one of these paths;
    path one: [c, [3], [3]], path two: [c, [3], [3]]
remove a.#c set a[1] = #d
    Two document paths conflict with each other; must remove or rewrite one of these paths;
    path one: [a, c], path two: [a, [1]]
)table");
}

TEST(UpdateErrors, TellOperandsThatCannotFit) {
  PlayErrors(R"table(
set b = list_append(:s, a), c = if_not_exists(a) add a.b :s
    Incorrect operand type for operator or function; operator: ADD, operand type: STRING,
    typeSet: ALLOWED_FOR_ADD_OPERAND
add a.b :nul
    Incorrect operand type for operator or function; operator: ADD, operand type: NULL,
    typeSet: ALLOWED_FOR_ADD_OPERAND
add a.b :t
    Incorrect operand type for operator or function; operator: ADD, operand type: BOOLEAN,
    typeSet: ALLOWED_FOR_ADD_OPERAND
add a.b :b
    Incorrect operand type for operator or function; operator: ADD, operand type: BINARY,
    typeSet: ALLOWED_FOR_ADD_OPERAND
add a.b :map
    Incorrect operand type for operator or function; operator: ADD, operand type: MAP,
    typeSet: ALLOWED_FOR_ADD_OPERAND
add a.b :l
    Incorrect operand type for operator or function; operator: ADD, operand type: LIST,
    typeSet: ALLOWED_FOR_ADD_OPERAND
delete a.b :n
    Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER,
    typeSet: ALLOWED_FOR_DELETE_OPERAND
delete a.b :s
    Incorrect operand type for operator or function; operator: DELETE, operand type: STRING,
    typeSet: ALLOWED_FOR_DELETE_OPERAND
set a = if_not_exists(c)
    Incorrect number of operands for operator or function;
    operator or function: if_not_exists, number of operands: 1
set a = list_append(c)
    Incorrect number of operands for operator or function;
    operator or function: list_append, number of operands: 1
set a = list_append(c, d, e)
    Incorrect number of operands for operator or function;
    operator or function: list_append, number of operands: 3
set a = if_not_exists(:n, c)
    Operator or function requires a document path; operator or function: if_not_exists
set a = if_not_exists(list_append(a, b), c)
    Operator or function requires a document path; operator or function: if_not_exists
set a = list_append(list_append(a, :l), :l)
    The function is not allowed to be used this way in an expression; function: list_append
set a = list_append(:l, (list_append(a, :l)))
    The function is not allowed to be used this way in an expression; function: list_append
set a = list_append(a, :n)
    Incorrect operand type for operator or function;
    operator or function: list_append, operand type: N
set a = list_append(:ss, a)
    Incorrect operand type for operator or function;
    operator or function: list_append, operand type: SS
set a = a + :s
    Incorrect operand type for operator or function; operator or function: +, operand type: S
set a = :ns - a
    Incorrect operand type for operator or function; operator or function: -, operand type: NS
)table");
}

TEST(UpdateErrors, TellAnEmptyOne) {
  const ExpressionArguments given = UpdateErrorArguments();
  Arguments arguments(given);
  EXPECT_EQ(Update::Parse(" ", arguments).status().message(),
            "Invalid UpdateExpression: The expression can not be empty;");
}

}  // namespace
}  // namespace mayfly::expressions
