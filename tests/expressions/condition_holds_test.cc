// Goal: a condition holds for an item exactly when DynamoDB says so.
// Method: a table of conditions on one item with every type in it.
#include <gtest/gtest.h>

#include "expressions/case_table.h"
#include "expressions/condition.h"
#include "expressions/value_text.h"

namespace mayfly::expressions {
namespace {

const char* const kItem =
    "{n: 10, neg: -2.5, s: 'hello', e: '', b: b'bytes', t: true, f: false, nul: null, "
    "l: [1, 'two', [3, 4], {x: 5}], ss: <'a', 'b'>, ns: <1, 2.5>, bs: <b'x', b'y'>, "
    "m: {k: 'v', d: {deeper: 7, more: [0, {z: 'end'}]}}, n2: 10, blank: {}, zero: []}";

ExpressionArguments HoldsArguments() {
  ExpressionArguments given;
  // clang-format off
  given.names = {
      {"#s",      "s"},
      {"#name",   "name"},
      {"#d",      "d"},
      {"#dotted", "m.k"}
  };
  const char* values[][2] = {
      {":0",     "0"},
      {":1",     "1"},
      {":2",     "2"},
      {":3",     "3"},
      {":5",     "5"},
      {":7",     "7"},
      {":9",     "9"},
      {":10",    "10.0"},
      {":11",    "11"},
      {":neg",   "-2.5"},
      {":s",     "'hello'"},
      {":h",     "'hel'"},
      {":ell",   "'ell'"},
      {":x",     "'x'"},
      {":a",     "'a'"},
      {":z",     "'z'"},
      {":e",     "''"},
      {":b",     "b'bytes'"},
      {":by",    "b'by'"},
      {":bx",    "b'x'"},
      {":t",     "true"},
      {":f",     "false"},
      {":nul",   "null"},
      {":l",     "[1, 'two', [3, 4], {x: 5}]"},
      {":inner", "[3, 4]"},
      {":el",    "{x: 5}"},
      {":two",   "'two'"},
      {":m",     "{d: {more: [0, {z: 'end'}], deeper: 7}, k: 'v'}"},
      {":ss",    "<'b', 'a'>"},
      {":ns",    "<2.50, 1>"},
      {":bs",    "<b'x', b'y'>"},
      {":S",     "'S'"},
      {":N",     "'N'"},
      {":B",     "'B'"},
      {":BOOL",  "'BOOL'"},
      {":NULL",  "'NULL'"},
      {":L",     "'L'"},
      {":M",     "'M'"},
      {":SS",    "'SS'"},
      {":NS",    "'NS'"},
      {":BS",    "'BS'"},
  };
  // clang-format on
  for (const auto& [name, text] : values) given.values.emplace(name, ValueOf(text));
  return given;
}

void PlayHolds(const char* table) {
  const Item item = ItemOf(kItem);
  const ExpressionArguments given = HoldsArguments();
  for (const Case& one : ReadCases(table)) {
    Arguments arguments(given);
    const auto condition = Condition::Parse(one.text, Condition::Role::kFilter, arguments);
    ASSERT_TRUE(condition.has_value()) << one.text << ": " << condition.status().ToString();
    EXPECT_EQ(condition->Holds(item) ? "true" : "false", one.expected) << one.text;
  }
}

TEST(ConditionHolds, ForEqualityOfEveryType) {
  PlayHolds(R"table(
n = :10         => true
n = :9          => false
:10 = n         => true
n = n2          => true
n = :s          => false
s = :s          => true
#s = :s         => true
s = :h          => false
e = :e          => true
b = :b          => true
b = :s          => false
t = :t          => true
t = :f          => false
f = :f          => true
nul = :nul      => true
nul = nowhere   => false
l = :l          => true
l = :inner      => false
m = :m          => true
m.d = :m        => false
ss = :ss        => true
ns = :ns        => true
bs = :bs        => true
ss = :ns        => false
nowhere = :s    => false
nowhere = gone  => false
:1 = :1         => true
)table");
}

TEST(ConditionHolds, ForDifferenceAlsoOfWhatIsMissing) {
  PlayHolds(R"table(
n <> :9          => true
n <> :10         => false
n <> :s          => true
nowhere <> :s    => true
nowhere <> gone  => true
ss <> :ss        => false
l[9] <> :1       => true
)table");
}

TEST(ConditionHolds, ForOrderWithinOneType) {
  PlayHolds(R"table(
n < :11         => true
n < :10         => false
n <= :10        => true
n > :9          => true
n > :10         => false
n >= :10        => true
:9 < n          => true
neg < :0        => true
s > :h          => true
s < :x          => true
s <= :s         => true
e < :a          => true
b > :by         => true
b < :by         => false
n < :z          => false
n > :e          => false
s > :1          => false
nowhere < :1    => false
nowhere > :1    => false
nowhere <= gone => false
l < :1          => false
l > :1          => false
t < :1          => false
)table");
}

TEST(ConditionHolds, ForBetweenWithBothBounds) {
  PlayHolds(R"table(
n BETWEEN :9 AND :11        => true
n BETWEEN :10 AND :10       => true
n BETWEEN :11 AND :11       => false
n BETWEEN :1 AND :9         => false
n between :1 and :10        => true
s BETWEEN :h AND :x         => true
s BETWEEN :a AND :h         => false
b BETWEEN :by AND :bx       => true
:5 BETWEEN :1 AND n         => true
:11 BETWEEN :1 AND n        => false
nowhere BETWEEN :1 AND :9   => false
n BETWEEN nowhere AND :11   => false
n BETWEEN :1 AND nowhere    => false
n BETWEEN :a AND :z         => false
size(s) BETWEEN :5 AND :5   => true
)table");
}

TEST(ConditionHolds, ForInWhenOneIsEqual) {
  PlayHolds(R"table(
n IN (:10)               => true
n IN (:1, :9, :10)       => true
n IN (:1, :9)            => false
n in (:s, n2)            => true
s IN (:a, :s)            => true
nowhere IN (:s)          => false
nowhere IN (gone)        => false
ss IN (:1, :ss)          => true
nul IN (:nul)            => true
size(l) IN (:3, size(s)) => false
)table");
}

TEST(ConditionHolds, ForPresenceAndType) {
  PlayHolds(R"table(
attribute_exists(n)                    => true
attribute_exists(nul)                  => true
attribute_exists(blank)                => true
attribute_exists(nowhere)              => false
attribute_exists(m.d.deeper)           => true
attribute_exists(m.#d.more[1].z)       => true
attribute_exists(m.d.more[2])          => false
attribute_exists(m.d[0])               => false
attribute_exists(l.x)                  => false
attribute_exists(l[3].x)               => true
attribute_exists(s.x)                  => false
attribute_exists(#name)                => false
attribute_exists(#dotted)              => false
attribute_not_exists(nowhere)          => true
attribute_not_exists(n)                => false
attribute_not_exists(m.gone.deeper)    => true
attribute_exists((m.d).deeper)         => true
attribute_exists((l)[3].x)             => true
attribute_type(s, :S)                  => true
attribute_type(n, :N)                  => true
attribute_type(b, :B)                  => true
attribute_type(t, :BOOL)               => true
attribute_type(nul, :NULL)             => true
attribute_type(l, :L)                  => true
attribute_type(m, :M)                  => true
attribute_type(ss, :SS)                => true
attribute_type(ns, :NS)                => true
attribute_type(bs, :BS)                => true
attribute_type(:1, :N)                 => true
attribute_type(:1, :S)                 => false
attribute_type(s, :N)                  => false
attribute_type(ss, :S)                 => false
attribute_type(nowhere, :NULL)         => false
)table");
}

TEST(ConditionHolds, ForBeginningsAndContents) {
  PlayHolds(R"table(
begins_with(s, :h)       => true
begins_with(s, :s)       => true
begins_with(s, :e)       => true
begins_with(s, :ell)     => false
begins_with(b, :by)      => true
begins_with(b, :h)       => false
begins_with(n, :h)       => false
begins_with(nowhere, :h) => false
begins_with(:s, nowhere) => false
begins_with(l[1], :two)  => true
contains(s, :ell)        => true
contains(s, :e)          => true
contains(s, :x)          => false
contains(s, :1)          => false
contains(b, :by)         => true
contains(b, :bx)         => false
contains(ss, :a)         => true
contains(ss, :x)         => false
contains(ss, :1)         => false
contains(ns, :1)         => true
contains(ns, :2)         => false
contains(bs, :bx)        => true
contains(bs, :by)        => false
contains(l, :1)          => true
contains(l, :two)        => true
contains(l, :inner)      => true
contains(l, :el)         => true
contains(l, :3)          => false
contains(m, :x)          => false
contains(n, :1)          => false
contains(nowhere, :1)    => false
contains(s, nowhere)     => false
contains(:s, :ell)       => true
)table");
}

TEST(ConditionHolds, ForSizes) {
  PlayHolds(R"table(
size(s) = :5          => true
size(e) = :0          => true
size(b) = :5          => true
size(ss) = :2         => true
size(ns) = :2         => true
size(bs) = :2         => true
size(l) > :3          => true
size(zero) = :0       => true
size(m) = :2          => true
size(blank) = :0      => true
size(m.d.more) = :2   => true
size(n) = :2          => false
size(t) <> :1         => true
size(nowhere) = :0    => false
size(nowhere) <> :0   => true
size(:s) = :5         => true
size(s) = size(b)     => true
:1 < size(ss)         => true
)table");
}

TEST(ConditionHolds, ByPrecedenceAndParentheses) {
  PlayHolds(R"table(
n = :10 AND s = :s                           => true
n = :10 AND s = :x                           => false
n = :9 OR s = :s                             => true
n = :9 OR s = :x                             => false
NOT n = :9                                   => true
NOT n = :10                                  => false
not not n = :10                              => true
n = :10 OR n = :9 AND s = :x                 => true
(n = :10 OR n = :9) AND s = :x               => false
NOT n = :9 AND s = :x                        => false
NOT (n = :9 AND s = :x)                      => true
NOT n = :10 OR s = :s                        => true
NOT attribute_exists(nowhere)                => true
(attribute_exists(n)) AND (n) = (:10)        => true
(n = :10) And (s = :x oR (t = :t))           => true
n BETWEEN :1 AND :10 AND s = :s              => true
n BETWEEN :1 AND :10 AND s = :x              => false
(n) BETWEEN (:9) AND (:11)                   => true
(size(s)) = (:5)                             => true
(n=:10)and(s=:s)                             => true
n<>:9                                        => true
)table");
}

TEST(ConditionHolds, ForAnItemThatIsNotThere) {
  ExpressionArguments given;
  given.values.emplace(":v", ValueOf("1"));
  const char* table = R"table(
attribute_not_exists(id) => true
attribute_exists(id)     => false
id = :v                  => false
id <> :v                 => true
NOT id = :v              => true
)table";
  for (const Case& one : ReadCases(table)) {
    Arguments arguments(given);
    const auto condition = Condition::Parse(one.text, Condition::Role::kCondition, arguments);
    ASSERT_TRUE(condition.has_value()) << one.text << ": " << condition.status().ToString();
    EXPECT_EQ(condition->Holds({}) ? "true" : "false", one.expected) << one.text;
  }
}

TEST(ConditionHolds, CountsCharactersOfAString) {
  ExpressionArguments given;
  given.values.emplace(":4", ValueOf("4"));
  Arguments arguments(given);
  const auto condition = Condition::Parse("size(a) = :4", Condition::Role::kFilter, arguments);
  ASSERT_TRUE(condition.has_value()) << condition.status().ToString();
  EXPECT_TRUE(condition->Holds({{"a", "four"}}));
  EXPECT_TRUE(condition->Holds({{"a", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"}}));  // 1, 1 and 2.
  EXPECT_FALSE(condition->Holds({{"a", "\xc3\xa9\xc3\xa9"}}));
}

TEST(ConditionHolds, NamesTheAttributesItLooksAt) {
  const ExpressionArguments given = HoldsArguments();
  Arguments arguments(given);
  const auto condition = Condition::Parse("size(m.k) > :1 AND (#s = :s OR NOT contains(l[0], n))",
                                          Condition::Role::kFilter, arguments);
  ASSERT_TRUE(condition.has_value()) << condition.status().ToString();
  EXPECT_EQ(condition->Attributes(), (std::set<std::string>{"l", "m", "n", "s"}));
}

}  // namespace
}  // namespace mayfly::expressions
