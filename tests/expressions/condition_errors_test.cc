// Goal: what is no condition is refused in DynamoDB's words, and of several faults the one it
// tells. Method: tables of texts and messages.
#include <gtest/gtest.h>

#include "expressions/case_table.h"
#include "expressions/condition.h"
#include "expressions/value_text.h"

namespace mayfly::expressions {
namespace {

ExpressionArguments Given() {
  ExpressionArguments given;
  given.names = {{"#a", "a"}, {"#b", "b"}};
  // clang-format off
  const char* values[][2] = {
      {":n",    "1"},
      {":m",    "2"},
      {":s",    "'a'"},
      {":S",    "'S'"},
      {":b",    "b'a'"},
      {":c",    "b'b'"},
      {":t",    "true"},
      {":nul",  "null"},
      {":l",    "[1]"},
      {":map",  "{x: 1}"},
      {":ss",   "<'a'>"},
      {":ns",   "<1>"},
      {":bs",   "<b'a'>"},
      {":long", "'zz'"},
  };
  // clang-format on
  for (const auto& [name, text] : values) given.values.emplace(name, ValueOf(text));
  return given;
}

void Play(const char* table) {
  const ExpressionArguments given = Given();
  for (const Case& one : ReadCases(table)) {
    for (const auto role : {Condition::Role::kCondition, Condition::Role::kFilter}) {
      Arguments arguments(given);
      const auto condition = Condition::Parse(one.text, role, arguments);
      const std::string begin = role == Condition::Role::kCondition
                                    ? "Invalid ConditionExpression: "
                                    : "Invalid FilterExpression: ";
      ASSERT_FALSE(condition.has_value()) << one.text;
      EXPECT_EQ(condition.error().code(), StatusCode::kInvalid) << one.text;
      EXPECT_EQ(condition.error().message(), begin + one.expected) << one.text;
    }
  }
}

TEST(ConditionErrors, TellWhereTheSyntaxEnds) {
  Play(R"table(
things are not gonna be ok   => Syntax error; token: "are", near: "things are not"
a > 4                        => Syntax error; token: "4", near: "> 4"
a                            => Syntax error; token: "<EOF>", near: "a"
:n                           => Syntax error; token: "<EOF>", near: ":n"
a =                          => Syntax error; token: "<EOF>", near: "="
a = :n AND                   => Syntax error; token: "<EOF>", near: "AND"
a = :n OR                    => Syntax error; token: "<EOF>", near: "OR"
NOT                          => Syntax error; token: "<EOF>", near: "NOT"
NOT a                        => Syntax error; token: "<EOF>", near: "a"
AND a = :n                   => Syntax error; token: "AND", near: "AND a"
= :n                         => Syntax error; token: "=", near: "= :n"
a = = :n                     => Syntax error; token: "=", near: "= = :n"
a = :n b = :n                => Syntax error; token: "b", near: ":n b ="
a == :n                      => Syntax error; token: "=", near: "== :n"
a != :n                      => Syntax error; token: "!", near: "a !="
a = "x"                      => Syntax error; token: """, near: "= "x"
a = 'x'                      => Syntax error; token: "'", near: "= 'x"
a = :n;                      => Syntax error; token: ";", near: ":n;"
a > between                  => Syntax error; token: "between", near: "> between"
a BETWEEN :n                 => Syntax error; token: "<EOF>", near: ":n"
a BETWEEN :n OR :m           => Syntax error; token: "OR", near: ":n OR :m"
a BETWEEN (:n AND :m)        => Syntax error; token: "AND", near: ":n AND :m"
a in :n, :m                  => Syntax error; token: ":n", near: "in :n,"
a in b                       => Syntax error; token: "b", near: "in b"
a in ()                      => Syntax error; token: ")", near: "()"
a in (:n,:m,)                => Syntax error; token: ")", near: ",)"
a in (:n :m)                 => Syntax error; token: ":m", near: ":n :m)"
(a = :n                      => Syntax error; token: "<EOF>", near: ":n"
a = :n)                      => Syntax error; token: ")", near: ":n)"
()                           => Syntax error; token: ")", near: "()"
(a)                          => Syntax error; token: "<EOF>", near: ")"
(a AND b = :n)               => Syntax error; token: "AND", near: "a AND b"
(a = :n AND b)               => Syntax error; token: ")", near: "b)"
(a = :n) = :m                => Syntax error; token: "=", near: ") = :m"
a = (b = :n)                 => Syntax error; token: "=", near: "b = :n"
(a)between(b.(c.d))and(c)    => Syntax error; token: "(", near: ".(c"
(a)between(b.c.d)and((c)     => Syntax error; token: "<EOF>", near: ")"
attribute_exists()           => Syntax error; token: ")", near: "()"
attribute_exists(a           => Syntax error; token: "<EOF>", near: "a"
attribute_exists(a,)         => Syntax error; token: ")", near: ",)"
attribute_exists(a = :n)     => Syntax error; token: "=", near: "a = :n"
attribute_exists(asdf[a])    => Syntax error; token: "a", near: "[a]"
attribute_exists(P-R)        => Syntax error; token: "-", near: "P-R"
attribute_exists("P.R")      => Syntax error; token: """, near: "("P"
attribute_exists(P..R)       => Syntax error; token: ".", near: "..R"
attribute_exists(Pi#ct.R)    => Syntax error; token: "#ct", near: "Pi#ct."
attribute_exists(_c)         => Syntax error; token: "_", near: "(_c"
attribute_exists(c._d)       => Syntax error; token: "_", near: "._d"
attribute_exists(a[01])      => Syntax error; token: "1", near: "01]"
attribute_exists(a[-1])      => Syntax error; token: "-", near: "[-1"
attribute_exists(a[1)        => Syntax error; token: ")", near: "1)"
attribute_exists(a.[1])      => Syntax error; token: "[", near: ".[1"
attribute_exists([1])        => Syntax error; token: "[", near: "([1"
b[:n] > a                    => Syntax error; token: ":n", near: "[:n]"
b[#a] > a                    => Syntax error; token: "#a", near: "[#a]"
b[4.5] > a                   => Syntax error; token: ".", near: "4.5"
#$.b > a                     => Syntax error; token: "#", near: "#$"
a > :n.b                     => Syntax error; token: ".", near: ":n.b"
a.:n > b                     => Syntax error; token: ":n", near: ".:n >"
: > b                        => Syntax error; token: ":", near: ": >"
ü > a                        => Syntax error; token: "ü", near: "ü >"
size(a).b > a                => Syntax error; token: ".", near: ").b"
(size(a)).b > a              => Syntax error; token: ".", near: ").b"
size(a)[0] > b               => Syntax error; token: "[", near: ")[0"
a + b = :n                   => Syntax error; token: "+", near: "a + b"
SET a = :n                   => Syntax error; token: "a", near: "SET a ="
)table");
}

TEST(ConditionErrors, TellAnEmptyOne) {
  const ExpressionArguments given = Given();
  for (const char* text : {"", " ", " \t\r\n "}) {
    Arguments arguments(given);
    const auto condition = Condition::Parse(text, Condition::Role::kCondition, arguments);
    ASSERT_FALSE(condition.has_value());
    EXPECT_EQ(condition.error().message(),
              "Invalid ConditionExpression: The expression can not be empty;");
  }
}

TEST(ConditionErrors, TellRedundantParentheses) {
  Play(R"table(
((a = :n))                           => The expression has redundant parentheses;
a=:n and a > ((views))               => The expression has redundant parentheses;
(a)between(((b.c)).d)and(c)          => The expression has redundant parentheses;
a > whatever((:things), ((a)))       => The expression has redundant parentheses;
a=a AND ((a=a AND a=a)) AND a=a      => The expression has redundant parentheses;
a=a OR ((a=a OR a=a)) OR a=a         => The expression has redundant parentheses;
a=a AND ((a=a AND (a=a AND a=a)))    => The expression has redundant parentheses;
NOT ((a = :n))                       => The expression has redundant parentheses;
((attribute_exists(a)))              => The expression has redundant parentheses;
((:n)) = a                           => The expression has redundant parentheses;
((a = :n)) and and                   => The expression has redundant parentheses;
)table");
}

TEST(ConditionErrors, TellFunctionsThatAreNoneOrElsewhere) {
  Play(R"table(
a=a and whatever((:things)) > a   => Invalid function name; function: whatever
attRIbute_exIsts((views), #a)     => Invalid function name; function: attRIbute_exIsts
SIZE(a) > :n                      => Invalid function name; function: SIZE
begins_With(a, :s)                => Invalid function name; function: begins_With
between2(a)                       => Invalid function name; function: between2
a = if_not_exists(a, :n)
    The function is not allowed in a condition expression; function: if_not_exists
list_append(a, :l)
    The function is not allowed in a condition expression; function: list_append
a=a and attribute_exists((views), (#x)) > b
    The function is not allowed to be used this way in an expression; function: attribute_exists
attribute_not_exists(things) > b
    The function is not allowed to be used this way in an expression; function: attribute_not_exists
attribute_type(things, :S) > b
    The function is not allowed to be used this way in an expression; function: attribute_type
begins_with(things, a) > b
    The function is not allowed to be used this way in an expression; function: begins_with
contains(:things, c) > b
    The function is not allowed to be used this way in an expression; function: contains
size(contains(a, b)) > a
    The function is not allowed to be used this way in an expression; function: contains
size(things)
    The function is not allowed to be used this way in an expression; function: size
NOT size(things)
    The function is not allowed to be used this way in an expression; function: size
(size(things)) AND a = :n
    The function is not allowed to be used this way in an expression; function: size
a between b and attribute_exists(things)
    The function is not allowed to be used this way in an expression; function: attribute_exists
a in (b, attribute_exists(things))
    The function is not allowed to be used this way in an expression; function: attribute_exists
)table");
}

TEST(ConditionErrors, TellReservedWordsAndIndexesOutOfRange) {
  Play(R"table(
attribute_exists(views, #a)  => Attribute name is a reserved keyword; reserved keyword: views
:n < abOrT                   => Attribute name is a reserved keyword; reserved keyword: abOrT
a.name = :n                  => Attribute name is a reserved keyword; reserved keyword: name
a = :n AND size(status) > :n => Attribute name is a reserved keyword; reserved keyword: status
ttl > :n                     => Attribute name is a reserved keyword; reserved keyword: ttl
#undefined = :x OR ZONE = :y => Attribute name is a reserved keyword; reserved keyword: ZONE
a[2147483648] = :n
    List index is not within the allowable range; index: [2147483648]
a[99999999999999999999999999] = :n
    List index is not within the allowable range; index: [99999999999999999999999999]
)table");
}

TEST(ConditionErrors, TellPlaceholdersThatAreNotDefined) {
  Play(R"table(
attribute_exists(#Pictures.RearView, :n) and a=a
    An expression attribute name used in the document path is not defined; attribute name: #Pictures
begins_with(Pictures.#RearView)
    An expression attribute name used in the document path is not defined; attribute name: #RearView
(#P between :lo and :hi) and (#PC in (:cat1, :cat2))
    An expression attribute name used in the document path is not defined; attribute name: #P
#4g > a
    An expression attribute name used in the document path is not defined; attribute name: #4g
#_ > a
    An expression attribute name used in the document path is not defined; attribute name: #_
#A = :n
    An expression attribute name used in the document path is not defined; attribute name: #A
(a)between(b.c[45].#d)and(:a)
    An expression attribute name used in the document path is not defined; attribute name: #d
begins_with(:hello, #a, #b)
    An expression attribute value used in expression is not defined; attribute value: :hello
:x < :y
    An expression attribute value used in expression is not defined; attribute value: :x
:_ > a
    An expression attribute value used in expression is not defined; attribute value: :_
a = :n AND a IN (:n, :x)
    An expression attribute value used in expression is not defined; attribute value: :x
)table");
}

TEST(ConditionErrors, TellWrongNumbersOfOperands) {
  Play(R"table(
attribute_exists(things, a) and a=a
    Incorrect number of operands for operator or function;
    operator or function: attribute_exists, number of operands: 2
attribute_not_exists(things, b)
    Incorrect number of operands for operator or function;
    operator or function: attribute_not_exists, number of operands: 2
attribute_type(things)
    Incorrect number of operands for operator or function;
    operator or function: attribute_type, number of operands: 1
begins_with(things)
    Incorrect number of operands for operator or function;
    operator or function: begins_with, number of operands: 1
begins_with(things, size(a), b)
    Incorrect number of operands for operator or function;
    operator or function: begins_with, number of operands: 3
contains(things)
    Incorrect number of operands for operator or function;
    operator or function: contains, number of operands: 1
size(things, a) > b
    Incorrect number of operands for operator or function;
    operator or function: size, number of operands: 2
)table");
}

TEST(ConditionErrors, TellOperandsThatMustBePathsOrDistinct) {
  Play(R"table(
attribute_exists(:n) and a=a
    Operator or function requires a document path; operator or function: attribute_exists
attribute_not_exists(size(:s))
    Operator or function requires a document path; operator or function: attribute_not_exists
a = a AND #a = b AND :views > a
    The first operand must be distinct from the remaining operands for this operator or function;
    operator: =, first operand: [a]
#a <> a
    The first operand must be distinct from the remaining operands for this operator or function;
    operator: <>, first operand: [a]
a > #a
    The first operand must be distinct from the remaining operands for this operator or function;
    operator: >, first operand: [a]
((a=a) OR (a=a))
    The first operand must be distinct from the remaining operands for this operator or function;
    operator: =, first operand: [a]
contains(ab.bc[1].a, ab.bc[1].#a)
    The first operand must be distinct from the remaining operands for this operator or function;
    operator: contains, first operand: [ab, bc, [1], a]
begins_with(ab.bc[1].a, ab.bc[1].#a)
    The first operand must be distinct from the remaining operands for this operator or function;
    operator: begins_with, first operand: [ab, bc, [1], a]
attribute_type(ab.bc[1].#a, ab.bc[1].a)
    The first operand must be distinct from the remaining operands for this operator or function;
    operator: attribute_type, first operand: [ab, bc, [1], a]
a BETWEEN :n AND a
    The first operand must be distinct from the remaining operands for this operator or function;
    operator: BETWEEN, first operand: [a]
a IN (:n, (a))
    The first operand must be distinct from the remaining operands for this operator or function;
    operator: IN, first operand: [a]
)table");
}

TEST(ConditionErrors, TellOperandsOfWrongTypes) {
  const struct {
    const char* text;
    const char* name;
    // clang-format off
  } shapes[] = {
      {"a < {}",                   "<"},
      {"{} <= a",                  "<="},
      {"a > {}",                   ">"},
      {"a >= {}",                  ">="},
      {"a BETWEEN {} AND :n",      "BETWEEN"},
      {"a BETWEEN b AND {}",       "BETWEEN"},
      {"{} BETWEEN b AND c",       "BETWEEN"},
      {"begins_with(a, {})",       "begins_with"},
      {"begins_with({}, a)",       "begins_with"},
      {"attribute_type(a, {})",    "attribute_type"},
      {"a = :n AND size({}) > :n", "size"},
  };
  // clang-format on
  const struct {
    const char* value;
    const char* type;
    std::string fine_for;
    // clang-format off
  } types[] = {
      {":n",   "N",    "<<=>>=BETWEEN"},
      {":b",   "B",    "<<=>>=BETWEENbegins_withsize"},
      {":t",   "BOOL", ""},
      {":nul", "NULL", ""},
      {":l",   "L",    "size"},
      {":map", "M",    "size"},
      {":ss",  "SS",   "size"},
      {":ns",  "NS",   "size"},
      {":bs",  "BS",   "size"},
  };
  // clang-format on
  const ExpressionArguments given = Given();
  for (const auto& shape : shapes) {
    for (const auto& type : types) {
      std::string text = shape.text;
      text.replace(text.find("{}"), 2, type.value);
      Arguments arguments(given);
      const auto condition = Condition::Parse(text, Condition::Role::kFilter, arguments);
      const std::string said(condition.status().message());
      const std::string refusal =
          std::string(
              "Invalid FilterExpression: Incorrect operand type for operator or function; "
              "operator or function: ") +
          shape.name + ", operand type: " + type.type;
      const bool fine = type.fine_for.find(shape.name) != std::string::npos;
      EXPECT_EQ(said == refusal, !fine) << text << ": " << said;
    }
  }
  Play(R"table(
attribute_type(a, size(b))
    Incorrect operand type for operator or function;
    operator or function: attribute_type, operand type: N
attribute_type(a, b)
    Incorrect operand type for operator or function;
    operator or function: attribute_type, operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}
begins_with(a, size(b))
    Incorrect operand type for operator or function;
    operator or function: begins_with, operand type: N
size(size(a)) > :n
    Incorrect operand type for operator or function; operator or function: size, operand type: N
attribute_not_exists(size(:n))
    Incorrect operand type for operator or function; operator or function: size, operand type: N
attribute_type(a, :s)
    Invalid attribute type name found; type: a, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}
)table");
}

TEST(ConditionErrors, TellBoundsTheWrongWay) {
  Play(R"table(
a BETWEEN :m AND :n
    The BETWEEN operator requires upper bound to be greater than or equal to lower bound;
    lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}
a BETWEEN :long AND :s
    The BETWEEN operator requires upper bound to be greater than or equal to lower bound;
    lower bound operand: AttributeValue: {S:zz}, upper bound operand: AttributeValue: {S:a}
a BETWEEN :n AND :s
    The BETWEEN operator requires same data type for lower and upper bounds;
    lower bound operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:a}
a BETWEEN :c AND :b
    The BETWEEN operator requires upper bound to be greater than or equal to lower bound;
    lower bound operand: AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]},
    upper bound operand: AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]}
)table");
}

}  // namespace
}  // namespace mayfly::expressions
