// Goal: an update makes of an item what DynamoDB makes of it, or refuses it in its words.
// Method: tables of updates of one item; what is expected is what differs from it.
#include <gtest/gtest.h>

#include "expressions/case_table.h"
#include "expressions/update.h"
#include "expressions/value_text.h"

namespace mayfly::expressions {
namespace {

const char* const kUpdatedItem =
    "{n: 10, s: 'x', l: [0, 1, 2, 3], m: {a: 1, d: {e: 2}, l: [5, 6]}, ss: <'a', 'b'>, ns: <1, 2>, "
    "bs: <b'p'>, deep: [{k: [1, 2, 3]}, <'q'>, 'end'], big: "
    "90000000000000000000000000000000000000}";

ExpressionArguments UpdateArguments() {
  ExpressionArguments given;
  // clang-format off
  given.names = {
      {"#n",    "n"},
      {"#name", "name"},
      {"#dot",  "a.b"}
  };
  const char* values[][2] = {
      {":1",   "1"},
      {":5",   "5"},
      {":neg", "-2.5"},
      {":s",   "'y'"},
      {":t",   "true"},
      {":nul", "null"},
      {":b",   "b'q'"},
      {":l",   "[8, 9]"},
      {":no",  "[]"},
      {":m",   "{z: 1}"},
      {":ss",  "<'b', 'c'>"},
      {":ab",  "<'a', 'b'>"},
      {":ns",  "<2, 3>"},
      {":bs",  "<b'p', b'q'>"},
      {":q",   "<'q'>"},
      {":inc", "0.1"},
      {":max", "9e125"},
  };
  // clang-format on
  for (const auto& [name, text] : values) given.values.emplace(name, ValueOf(text));
  return given;
}

// The attributes that differ, those that went as "-name", or the message.
std::string Changed(const Item& before, const Result<Item>& after) {
  if (!after) return std::string(after.error().message());
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const auto& [name, value] : *after) {
    const auto old = before.find(name);
    if (old == before.end() || !(old->second == value)) add(name + ": " + TextOf(value));
  }
  for (const auto& [name, value] : before) {
    if (!after->contains(name)) add("-" + name);
  }
  return text.empty() ? "same" : text;
}

void PlayUpdates(const char* table) {
  const Item before = ItemOf(kUpdatedItem);
  const ExpressionArguments given = UpdateArguments();
  for (const Case& one : ReadCases(table)) {
    Arguments arguments(given);
    const auto update = Update::Parse(one.text, arguments);
    ASSERT_TRUE(update.has_value()) << one.text << ": " << update.status().ToString();
    const auto after = update->Apply(before);
    EXPECT_EQ(Changed(before, after), one.expected) << one.text;
    EXPECT_TRUE(after || after.error().code() == StatusCode::kInvalid) << one.text;
  }
}

TEST(UpdateApply, SetsAttributesAndPlacesWithinThem) {
  PlayUpdates(R"table(
SET n = :5                       => n: 5
set n = :5, s = :s               => n: 5, s: 'y'
SET #n = :5                      => n: 5
SET #name = :5                   => name: 5
SET #dot = :5                    => a.b: 5
SET own = :m                     => own: {z: 1}
SET own = n                      => own: 10
SET n = s, s = n                 => n: 'x', s: 10
SET n = (s)                      => n: 'x'
SET own = m.d.e                  => own: 2
SET m.a = :5                     => m: {a: 5, d: {e: 2}, l: [5, 6]}
SET m.b = :5                     => m: {a: 1, b: 5, d: {e: 2}, l: [5, 6]}
SET m.d.e = :l                   => m: {a: 1, d: {e: [8, 9]}, l: [5, 6]}
SET m.#dot = :5                  => m: {a: 1, a.b: 5, d: {e: 2}, l: [5, 6]}
SET m.a = n, m.d.f = m.a         => m: {a: 10, d: {e: 2, f: 1}, l: [5, 6]}
SET n = :nul                     => n: null
SET own = :no                    => own: []
)table");
}

TEST(UpdateApply, SetsElementsOfLists) {
  PlayUpdates(R"table(
SET l[0] = :s                    => l: ['y', 1, 2, 3]
SET l[3] = :s, l[1] = :t         => l: [0, true, 2, 'y']
SET l[4] = :s                    => l: [0, 1, 2, 3, 'y']
SET l[100] = :s                  => l: [0, 1, 2, 3, 'y']
SET l[9] = :s, l[7] = :t         => l: [0, 1, 2, 3, true, 'y']
SET l[5] = :s, l[4] = :t         => l: [0, 1, 2, 3, true, 'y']
SET l[0] = l[3]                  => l: [3, 1, 2, 3]
SET m.l[2] = :s                  => m: {a: 1, d: {e: 2}, l: [5, 6, 'y']}
SET deep[0].k[1] = :5            => deep: [{k: [1, 5, 3]}, <'q'>, 'end']
SET deep[0].own = :5             => deep: [{k: [1, 2, 3], own: 5}, <'q'>, 'end']
)table");
}

TEST(UpdateApply, Counts) {
  PlayUpdates(R"table(
SET n = n + :1                                  => n: 11
SET n = n - :1                                  => n: 9
SET n = :1 - n                                  => n: -9
SET n = n + :neg                                => n: 7.5
SET n = n + n                                   => n: 20
SET n = (n + :1)                                => n: 11
SET n = (n) + (:1)                              => n: 11
SET n = ((n)+(:1))                              => n: 11
SET own = :5 - :5                               => own: 0
SET m.a = m.a + :1                              => m: {a: 2, d: {e: 2}, l: [5, 6]}
SET own = if_not_exists(own, :1) + :5           => own: 6
SET n = if_not_exists(n, :1) + :5               => n: 15
SET own = :5 + if_not_exists(own, :1)           => own: 6
SET n = n + s            => An operand in the update expression has an incorrect data type
SET n = s + nowhere      => An operand in the update expression has an incorrect data type
SET n = l[0] + m         => An operand in the update expression has an incorrect data type
SET own = nowhere + :1
    The provided expression refers to an attribute that does not exist in the item
SET own = big + :inc
    Attempting to store more than 38 significant digits in a Number
SET own = :max + :max
    Number overflow. Attempting to store a number with magnitude larger than supported range
)table");
}

TEST(UpdateApply, FillsGapsAndAppends) {
  PlayUpdates(R"table(
SET own = if_not_exists(own, :1)                            => own: 1
SET n = if_not_exists(n, :1)                                => same
SET own = if_not_exists(n, :1)                              => own: 10
SET own = if_not_exists(gone, s)                            => own: 'x'
SET own = if_not_exists(gone, if_not_exists(lost, :1))      => own: 1
SET m.b = if_not_exists(m.b, :1)                            => m: {a: 1, b: 1, d: {e: 2}, l: [5, 6]}
SET l = list_append(l, :l)                                  => l: [0, 1, 2, 3, 8, 9]
SET l = list_append(:l, l)                                  => l: [8, 9, 0, 1, 2, 3]
SET l = list_append(l, l)                                   => l: [0, 1, 2, 3, 0, 1, 2, 3]
SET l = list_append(l, :no)                                 => same
SET own = list_append(:l, :l)                               => own: [8, 9, 8, 9]
SET own = list_append(if_not_exists(own, :no), :l)          => own: [8, 9]
SET own = list_append(if_not_exists(own, list_append(l, :no)), :l) => own: [0, 1, 2, 3, 8, 9]
SET m.l = list_append(m.l, :l)                              => m: {a: 1, d: {e: 2}, l: [5, 6, 8, 9]}
SET own = if_not_exists(gone, lost)
    The provided expression refers to an attribute that does not exist in the item
SET own = list_append(gone, :l)
    The provided expression refers to an attribute that does not exist in the item
SET own = list_append(s, :l)
    An operand in the update expression has an incorrect data type
SET own = list_append(:l, ss)
    An operand in the update expression has an incorrect data type
SET own = list_append(if_not_exists(own, :1), :l)
    An operand in the update expression has an incorrect data type
)table");
}

TEST(UpdateApply, Removes) {
  PlayUpdates(R"table(
REMOVE n                         => -n
remove n, s                      => -n, -s
REMOVE nowhere                   => same
REMOVE m.a                       => m: {d: {e: 2}, l: [5, 6]}
REMOVE m.gone                    => same
REMOVE m.d.e                     => m: {a: 1, d: {}, l: [5, 6]}
REMOVE l[0]                      => l: [1, 2, 3]
REMOVE l[3]                      => l: [0, 1, 2]
REMOVE l[4]                      => same
REMOVE l[0], l[2]                => l: [1, 3]
REMOVE l[2], l[0]                => l: [1, 3]
REMOVE l[0], l[1], l[2], l[3]    => l: []
REMOVE deep[0].k[0], deep[2]     => deep: [{k: [2, 3]}, <'q'>]
REMOVE deep[1], deep[0].k[2]     => deep: [{k: [1, 2]}, 'end']
REMOVE l[1] SET l[2] = :s        => l: [0, 'y', 3]
REMOVE l[0] SET l[9] = :s        => l: [1, 2, 3, 'y']
REMOVE l[4] SET l[9] = :s        => l: [0, 1, 2, 3, 'y']
SET deep[0].k[5] = :s REMOVE deep[0].k[0]   => deep: [{k: [2, 3, 'y']}, <'q'>, 'end']
)table");
}

TEST(UpdateApply, AddsAndDeletes) {
  PlayUpdates(R"table(
ADD n :5                         => n: 15
ADD n :neg                       => n: 7.5
ADD own :5                       => own: 5
ADD m.a :5                       => m: {a: 6, d: {e: 2}, l: [5, 6]}
ADD m.b :5                       => m: {a: 1, b: 5, d: {e: 2}, l: [5, 6]}
ADD l[1] :5                      => l: [0, 6, 2, 3]
ADD l[7] :5                      => l: [0, 1, 2, 3, 5]
ADD ss :ss                       => ss: <'a', 'b', 'c'>
ADD ns :ns                       => ns: <1, 2, 3>
ADD bs :bs                       => bs: <b'p', b'q'>
ADD own :ss                      => own: <'b', 'c'>
ADD ss :ss, ns :ns               => ns: <1, 2, 3>, ss: <'a', 'b', 'c'>
DELETE ss :ss                    => ss: <'a'>
DELETE ns :ns                    => ns: <1>
DELETE bs :bs                    => -bs
DELETE ss :ab                    => -ss
DELETE nowhere :ss               => same
DELETE m.gone :ss                => same
DELETE deep[1] :q                => deep: [{k: [1, 2, 3]}, 'end']
ADD s :5                 => An operand in the update expression has an incorrect data type
ADD ss :ns               => An operand in the update expression has an incorrect data type
ADD ss :5                => An operand in the update expression has an incorrect data type
ADD l :ss                => An operand in the update expression has an incorrect data type
DELETE ss :ns            => An operand in the update expression has an incorrect data type
DELETE n :ns             => An operand in the update expression has an incorrect data type
ADD big :inc             => Attempting to store more than 38 significant digits in a Number
)table");
}

TEST(UpdateApply, TakesAllOperandsFromTheItemBefore) {
  PlayUpdates(R"table(
SET n = :1, own = n                            => n: 1, own: 10
REMOVE n SET own = n                           => own: 10, -n
SET own = n ADD n :5                           => n: 15, own: 10
ADD n :5 SET own = n                           => n: 15, own: 10
DELETE ss :ss SET own = ss                     => own: <'a', 'b'>, ss: <'a'>
SET a = :1 REMOVE s ADD n :1 DELETE ss :ss     => a: 1, n: 11, ss: <'a'>, -s
SET l[0] = l[1], l[1] = l[0]                   => l: [1, 0, 2, 3]
)table");
}

TEST(UpdateApply, RefusesPathsWithoutAParent) {
  const char* wrong = "The document path provided in the update expression is invalid for update";
  const Item before = ItemOf(kUpdatedItem);
  const ExpressionArguments given = UpdateArguments();
  for (const char* text :
       {"SET gone.x = :1", "SET gone[0] = :1", "SET m.gone.x = :1", "SET s.x = :1", "SET s[0] = :1",
        "SET l.x = :1", "SET m[0] = :1", "SET l[9].x = :1", "SET l[0][0] = :1", "REMOVE gone.x",
        "REMOVE gone[0]", "REMOVE s.x", "REMOVE l.x", "ADD gone.x :1", "ADD s.x :1",
        "DELETE gone.x :ss", "DELETE l.x :ss", "SET own = :1, gone.x = :1",
        // Told before what else is wrong:
        "SET s.x = nowhere", "SET n = n + s, l.x = :1", "SET gone.x = nowhere",
        "SET n = nowhere REMOVE gone.x"}) {
    Arguments arguments(given);
    const auto update = Update::Parse(text, arguments);
    ASSERT_TRUE(update.has_value()) << text << ": " << update.status().ToString();
    EXPECT_EQ(Changed(before, update->Apply(before)), wrong) << text;
  }
  PlayUpdates(R"table(
SET gone.x = :1, n = n + s
    An operand in the update expression has an incorrect data type
REMOVE gone.x SET n = nowhere
    The provided expression refers to an attribute that does not exist in the item
SET n = nowhere
    The provided expression refers to an attribute that does not exist in the item
SET n = m.gone
    The provided expression refers to an attribute that does not exist in the item
SET n = l[4]
    The provided expression refers to an attribute that does not exist in the item
)table");
}

TEST(UpdateApply, ShowsWhatItTouched) {
  const ExpressionArguments given = UpdateArguments();
  Arguments arguments(given);
  const auto update = Update::Parse(
      "SET n = :1, m.d.e = :5, m.own = :5, l[1] = :s, l[3] = :s REMOVE s ADD ns :ns", arguments);
  ASSERT_TRUE(update.has_value()) << update.status().ToString();
  const Item before = ItemOf(kUpdatedItem);
  const auto after = update->Apply(before);
  ASSERT_TRUE(after.has_value()) << after.status().ToString();
  EXPECT_EQ(TextOf(update->Touched(before)),
            "{l: [1, 3], m: {d: {e: 2}}, n: 10, ns: <1, 2>, s: 'x'}");
  EXPECT_EQ(TextOf(update->Touched(*after)),
            "{l: ['y', 'y'], m: {d: {e: 5}, own: 5}, n: 1, ns: <1, 2, 3>}");
  EXPECT_EQ(update->Attributes(), (std::set<std::string>{"l", "m", "n", "ns", "s"}));
}

TEST(UpdateApply, MakesAnItemOfNothing) {
  const ExpressionArguments given = UpdateArguments();
  Arguments arguments(given);
  const auto update = Update::Parse("SET a = :1 ADD n :5, ss :ss REMOVE x", arguments);
  ASSERT_TRUE(update.has_value()) << update.status().ToString();
  const auto after = update->Apply({});
  ASSERT_TRUE(after.has_value()) << after.status().ToString();
  EXPECT_EQ(TextOf(*after), "{a: 1, n: 5, ss: <'b', 'c'>}");
}

}  // namespace
}  // namespace mayfly::expressions
