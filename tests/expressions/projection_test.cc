// Goal: a projection gives the wanted parts of an item, and refuses what DynamoDB refuses.
// Method: tables of projections of one item.
#include "expressions/projection.h"

#include <gtest/gtest.h>

#include "expressions/case_table.h"
#include "expressions/value_text.h"

namespace mayfly::expressions {
namespace {

const char* const kProjectedItem =
    "{a: 1, b: 'x', l: [10, 11, [20, 21], {k: 'v', n: 5}], m: {x: 1, y: {z: 2, w: [7, 8]}}, "
    "s: <1, 2>, nul: null, void: {}}";

std::string Said(const std::string& text) {
  ExpressionArguments given;
  // clang-format off
  given.names = {
      {"#a",    "a"},
      {"#name", "name"},
      {"#m",    "m"},
      {"#size", "size"}
  };
  // clang-format on
  Arguments arguments(given);
  const auto projection = Projection::Parse(text, arguments);
  if (!projection) {
    EXPECT_EQ(projection.error().code(), StatusCode::kInvalid) << text;
    return std::string(projection.error().message());
  }
  return TextOf(projection->Of(ItemOf(kProjectedItem)));
}

TEST(Projection, GivesTheWantedParts) {
  const char* table = R"table(
a                          => {a: 1}
a, b                       => {a: 1, b: 'x'}
b,a                        => {a: 1, b: 'x'}
#a                         => {a: 1}
#name                      => {}
nowhere                    => {}
a, nowhere                 => {a: 1}
l                          => {l: [10, 11, [20, 21], {k: 'v', n: 5}]}
l[0]                       => {l: [10]}
l[1], l[0]                 => {l: [10, 11]}
l[3], l[1]                 => {l: [11, {k: 'v', n: 5}]}
l[0], l[9]                 => {l: [10]}
l[9]                       => {}
l[2][1]                    => {l: [[21]]}
l[3].k                     => {l: [{k: 'v'}]}
l[3].k, l[3].n, l[2][0]    => {l: [[20], {k: 'v', n: 5}]}
l[3].gone                  => {}
l.x                        => {}
m.x                        => {m: {x: 1}}
m.y.z                      => {m: {y: {z: 2}}}
m.y.w[1]                   => {m: {y: {w: [8]}}}
m.x, m.y.w[0], m.y.z       => {m: {x: 1, y: {w: [7], z: 2}}}
#m.y.w                     => {m: {y: {w: [7, 8]}}}
m[0]                       => {}
m.x.deeper                 => {}
a.b                        => {}
a[0]                       => {}
s                          => {s: <1, 2>}
nul                        => {nul: null}
and
    Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: and
removed, remove            => {}
l[10], l[9], l[2]          => {l: [[20, 21]]}
)table";
  for (const Case& one : ReadCases(table)) EXPECT_EQ(Said(one.text), one.expected) << one.text;
}

TEST(Projection, RefusesWhatIsNone) {
  const char* table = R"table(
a b         => Syntax error; token: "b", near: "a b"
a,          => Syntax error; token: "<EOF>", near: ","
,a          => Syntax error; token: ",", near: ",a"
a,,b        => Syntax error; token: ",", near: ",,b"
!!!         => Syntax error; token: "!", near: "!!"
:a          => Syntax error; token: ":a", near: ":a"
(a)         => Syntax error; token: "(", near: "(a"
size(a)     => Syntax error; token: "(", near: "size(a"
a = b       => Syntax error; token: "=", near: "a = b"
a.          => Syntax error; token: "<EOF>", near: "."
a[b]        => Syntax error; token: "b", near: "[b]"
1a          => Syntax error; token: "1", near: "1a"
size        => Attribute name is a reserved keyword; reserved keyword: size
a.Status    => Attribute name is a reserved keyword; reserved keyword: Status
a[4294967296]
    List index is not within the allowable range; index: [4294967296]
#x
    An expression attribute name used in the document path is not defined; attribute name: #x
a, a
    Two document paths overlap with each other; must remove or rewrite one of these paths;
    path one: [a], path two: [a]
#a, a
    Two document paths overlap with each other; must remove or rewrite one of these paths;
    path one: [a], path two: [a]
m, m.x
    Two document paths overlap with each other; must remove or rewrite one of these paths;
    path one: [m], path two: [m, x]
m.y.z, b, m.y
    Two document paths overlap with each other; must remove or rewrite one of these paths;
    path one: [m, y, z], path two: [m, y]
l[1], l[1].k
    Two document paths overlap with each other; must remove or rewrite one of these paths;
    path one: [l, [1]], path two: [l, [1], k]
m.x, m[0]
    Two document paths conflict with each other; must remove or rewrite one of these paths;
    path one: [m, x], path two: [m, [0]]
)table";
  for (const Case& one : ReadCases(table)) {
    EXPECT_EQ(Said(one.text), "Invalid ProjectionExpression: " + one.expected) << one.text;
  }
  EXPECT_EQ(Said(""), "Invalid ProjectionExpression: The expression can not be empty;");
}

TEST(Projection, NamesItsAttributes) {
  const ExpressionArguments given;
  Arguments arguments(given);
  const auto projection = Projection::Parse("a, m.x, m.y, l[0]", arguments);
  ASSERT_TRUE(projection.has_value()) << projection.status().ToString();
  EXPECT_EQ(projection->Attributes(), (std::set<std::string>{"a", "l", "m"}));
}

}  // namespace
}  // namespace mayfly::expressions
