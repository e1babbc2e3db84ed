// List commands on positions, ranges and values: LINDEX, LSET, LRANGE, LTRIM, LREM, LINSERT, LPOS.
// Method: commands on plain maps; expected texts are what Redis 7.0 answers.
#include <gtest/gtest.h>

#include "server/commands/support/families.h"
#include "server/testing/command_tester.h"

namespace mayfly::server {
namespace {

using Events = std::vector<std::string>;

constexpr const char* kNotAnInteger = "ERR value is not an integer or out of range";

class ListPositions : public testing::Test {
 protected:
  std::string Text(const std::string& line) { return tester_.Text(line); }
  const Events& events() { return tester_.notifications(); }

  CommandTester tester_{{ListFamily()}};
};

TEST_F(ListPositions, LIndexCountsFromBothEnds) {
  Text("rpush l a b c");
  EXPECT_EQ(Text("lindex l 0"), "a");
  EXPECT_EQ(Text("lindex l 2"), "c");
  EXPECT_EQ(Text("lindex l 3"), "(nil)");
  EXPECT_EQ(Text("lindex l -1"), "c");
  EXPECT_EQ(Text("lindex l -3"), "a");
  EXPECT_EQ(Text("lindex l -4"), "(nil)");
  EXPECT_EQ(Text("lindex l -9223372036854775808"), "(nil)");
  EXPECT_EQ(Text("lindex l x"), kNotAnInteger);
  EXPECT_EQ(Text("lindex none x"), "(nil)");
}

TEST_F(ListPositions, LSetReplacesWithinTheList) {
  Text("rpush l a b c");
  EXPECT_EQ(Text("lset l 1 B"), "OK");
  EXPECT_EQ(events(), (Events{"l lset 0 l"}));
  EXPECT_EQ(Text("lset l -1 C"), "OK");
  EXPECT_EQ(Text("lrange l 0 -1"), "[a, B, C]");
  EXPECT_EQ(Text("lset l 3 x"), "ERR index out of range");
  EXPECT_EQ(Text("lset l -4 x"), "ERR index out of range");
  EXPECT_EQ(Text("lset l x y"), kNotAnInteger);
  EXPECT_EQ(Text("lset none 0 x"), "ERR no such key");
  EXPECT_EQ(Text("lset none x x"), "ERR no such key");
}

TEST_F(ListPositions, LRangeIsCutToWhatThereIs) {
  Text("rpush l a b c d");
  EXPECT_EQ(Text("lrange l 0 -1"), "[a, b, c, d]");
  EXPECT_EQ(Text("lrange l 1 2"), "[b, c]");
  EXPECT_EQ(Text("lrange l -2 100"), "[c, d]");
  EXPECT_EQ(Text("lrange l -100 0"), "[a]");
  EXPECT_EQ(Text("lrange l 3 1"), "[]");
  EXPECT_EQ(Text("lrange l 4 9"), "[]");
  EXPECT_EQ(Text("lrange l 0 -5"), "[]");
  EXPECT_EQ(Text("lrange l -9223372036854775808 9223372036854775807"), "[a, b, c, d]");
  EXPECT_EQ(Text("lrange l 9223372036854775807 -9223372036854775808"), "[]");
  EXPECT_EQ(Text("lrange none 0 -1"), "[]");
  EXPECT_EQ(Text("lrange none x 1"), kNotAnInteger);
  EXPECT_EQ(Text("lrange l 0 x"), kNotAnInteger);
}

TEST_F(ListPositions, LTrimKeepsTheRange) {
  Text("rpush l a b c d e f");
  EXPECT_EQ(Text("ltrim l 1 -2"), "OK");
  EXPECT_EQ(events(), (Events{"l ltrim 0 l"}));
  EXPECT_EQ(Text("lrange l 0 -1"), "[b, c, d, e]");
  EXPECT_EQ(Text("ltrim l -1 9"), "OK");
  EXPECT_EQ(Text("lrange l 0 -1"), "[e]");
  Text("lpush l x");
  EXPECT_EQ(Text("lrange l 0 -1"), "[x, e]");
  EXPECT_EQ(Text("ltrim l 0 -1"), "OK");
  EXPECT_EQ(events(), (Events{"l ltrim 0 l"}));
  EXPECT_EQ(Text("ltrim l 5 6"), "OK");
  EXPECT_EQ(events(), (Events{"l ltrim 0 l", "g del 0 l"}));
  EXPECT_EQ(Text("llen l"), "0");
  EXPECT_EQ(Text("ltrim none 0 1"), "OK");
  EXPECT_EQ(events(), Events{});
  EXPECT_EQ(Text("ltrim none x 1"), kNotAnInteger);
}

TEST_F(ListPositions, LRemTakesFromTheSideItIsTold) {
  Text("rpush l a x b x c x d");
  EXPECT_EQ(Text("lrem l 1 x"), "1");
  EXPECT_EQ(events(), (Events{"l lrem 0 l"}));
  EXPECT_EQ(Text("lrange l 0 -1"), "[a, b, x, c, x, d]");
  EXPECT_EQ(Text("lrem l -1 x"), "1");
  EXPECT_EQ(Text("lrange l 0 -1"), "[a, b, x, c, d]");
  EXPECT_EQ(Text("lrem l 0 y"), "0");
  EXPECT_EQ(events(), Events{});
  Text("rpush l x x");
  EXPECT_EQ(Text("lrem l 0 x"), "3");
  EXPECT_EQ(Text("lrange l 0 -1"), "[a, b, c, d]");
  Text("rpush z x x x");
  EXPECT_EQ(Text("lrem z -2 x"), "2");
  EXPECT_EQ(Text("lrem z -9223372036854775808 x"), "1");
  EXPECT_EQ(events(), (Events{"l lrem 0 z", "g del 0 z"}));
  EXPECT_EQ(Text("lrem none 0 x"), "0");
  EXPECT_EQ(Text("lrem none y x"), kNotAnInteger);
}

TEST_F(ListPositions, LInsertNeedsItsPivot) {
  Text("rpush l a b c");
  EXPECT_EQ(Text("linsert l before a 1"), "4");
  EXPECT_EQ(events(), (Events{"l linsert 0 l"}));
  EXPECT_EQ(Text("linsert l AFTER c 2"), "5");
  EXPECT_EQ(Text("linsert l before b 3"), "6");
  EXPECT_EQ(Text("linsert l after b 4"), "7");
  EXPECT_EQ(Text("lrange l 0 -1"), "[1, a, 3, b, 4, c, 2]");
  EXPECT_EQ(Text("linsert l before z x"), "-1");
  EXPECT_EQ(events(), Events{});
  EXPECT_EQ(Text("linsert none before a x"), "0");
  EXPECT_EQ(Text("linsert l beside a x"), "ERR syntax error");
  EXPECT_EQ(Text("linsert none beside a x"), "ERR syntax error");
}

TEST_F(ListPositions, LPosFindsByRankCountAndLength) {
  Text("rpush l a b c 1 2 3 c c");
  EXPECT_EQ(Text("lpos l a"), "0");
  EXPECT_EQ(Text("lpos l c"), "2");
  EXPECT_EQ(Text("lpos l c rank 1"), "2");
  EXPECT_EQ(Text("lpos l c rank 2"), "6");
  EXPECT_EQ(Text("lpos l c rank 4"), "(nil)");
  EXPECT_EQ(Text("lpos l c RANK -1"), "7");
  EXPECT_EQ(Text("lpos l c rank -2"), "6");
  EXPECT_EQ(Text("lpos l c count 0"), "[2, 6, 7]");
  EXPECT_EQ(Text("lpos l c count 2"), "[2, 6]");
  EXPECT_EQ(Text("lpos l c count 0 rank 2"), "[6, 7]");
  EXPECT_EQ(Text("lpos l c count 2 rank -1"), "[7, 6]");
  EXPECT_EQ(Text("lpos l c count 0 rank -2"), "[6, 2]");
  EXPECT_EQ(Text("lpos l a maxlen 0"), "0");
  EXPECT_EQ(Text("lpos l c maxlen 2"), "(nil)");
  EXPECT_EQ(Text("lpos l c maxlen 3"), "2");
  EXPECT_EQ(Text("lpos l c count 0 maxlen 7"), "[2, 6]");
  EXPECT_EQ(Text("lpos l c rank -1 count 0 MAXLEN 2"), "[7, 6]");
  EXPECT_EQ(Text("lpos l c rank 1 rank 2"), "6");
  EXPECT_EQ(Text("lpos l z"), "(nil)");
  EXPECT_EQ(Text("lpos l z count 1"), "[]");
  EXPECT_EQ(Text("lpos none z"), "(nil)");
  EXPECT_EQ(Text("lpos none z count 1"), "[]");
}

TEST_F(ListPositions, LPosIsChecked) {
  Text("rpush l a");
  EXPECT_EQ(Text("lpos none a rank 0"),
            "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or "
            "use negative to start from the end of the list");
  EXPECT_EQ(Text("lpos l a count -1"), "ERR COUNT can't be negative");
  EXPECT_EQ(Text("lpos l a maxlen -1"), "ERR MAXLEN can't be negative");
  EXPECT_EQ(Text("lpos l a maxlen x"), "ERR MAXLEN can't be negative");
  EXPECT_EQ(Text("lpos l a rank x"), kNotAnInteger);
  EXPECT_EQ(Text("lpos l a rank -9223372036854775808"),
            "ERR value is out of range, value must between -9223372036854775807 and "
            "9223372036854775807");
  EXPECT_EQ(Text("lpos l a rank -9223372036854775807"), "(nil)");
  EXPECT_EQ(Text("lpos l a count"), "ERR syntax error");
  EXPECT_EQ(Text("lpos l a foo 1"), "ERR syntax error");
}

}  // namespace
}  // namespace mayfly::server
