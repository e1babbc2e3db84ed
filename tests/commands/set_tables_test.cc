// Goal: the tables of sets and sorted sets are in order, and the positions of keys are right.
// Method: the lines themselves; positions for arguments of all kinds.
#include <algorithm>

#include "conversation.h"

namespace mayfly::server {
namespace {

const CommandSpec& Line(const CommandFamily& family, std::string_view name) {
  const auto& lines = family.commands;
  return *std::find_if(lines.begin(), lines.end(),
                       [&](const auto& line) { return line.name == name; });
}

TEST(SetTables, AreInOrderAndComplete) {
  for (const CommandFamily& family : {SetFamily(), SortedSetFamily()}) {
    const auto& lines = family.commands;
    const auto before = [](const auto& a, const auto& b) { return a.name < b.name; };
    EXPECT_TRUE(std::is_sorted(lines.begin(), lines.end(), before));
    for (const CommandSpec& line : lines) {
      EXPECT_NE(line.handler, nullptr) << line.name;
      EXPECT_NE((line.flags & kWrite) != 0, (line.flags & kReadOnly) != 0) << line.name;
      EXPECT_TRUE(line.manual.summary.ends_with('.')) << line.name;
    }
  }
  EXPECT_EQ(SetFamily().commands.size(), 17u);
  EXPECT_EQ(SortedSetFamily().commands.size(), 35u);
}

TEST(SetTables, FindNumberedKeys) {
  using Positions = std::vector<int>;
  const CommandSpec& card = Line(SetFamily(), "sintercard");
  EXPECT_EQ(KeyPositions(card, {"sintercard", "2", "a", "b", "limit", "1"}), (Positions{2, 3}));
  const CommandSpec& store = Line(SortedSetFamily(), "zunionstore");
  EXPECT_EQ(KeyPositions(store, {"zunionstore", "d", "2", "a", "b"}), (Positions{1, 3, 4}));
  const CommandSpec& pop = Line(SortedSetFamily(), "bzmpop");
  EXPECT_EQ(KeyPositions(pop, {"bzmpop", "0", "1", "a", "min"}), Positions{3});
}

TEST(SetTables, FindNoKeysWhereTheNumberIsWrong) {
  const CommandSpec& line = Line(SortedSetFamily(), "zunion");
  for (const Bytes number : {"0", "-1", "x", "3", "9223372036854775807", ""}) {
    EXPECT_EQ(KeyPositions(line, {"zunion", number, "a", "b"}), std::vector<int>{-1}) << number;
  }
  EXPECT_EQ(KeyPositions(line, {"zunion"}), std::vector<int>{-1});
}

}  // namespace
}  // namespace mayfly::server
