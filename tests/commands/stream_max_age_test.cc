// Goal: entries under a max age are absent at their exact instant, for every command; counts and
// lags stay true.
// Method: commands on plain maps and on the core, with a manual clock: one before the deadline, on
// it, one after.
#include <gtest/gtest.h>

#include "conversation.h"

namespace mayfly::server {
namespace {

class StreamMaxAge : public testing::TestWithParam<CommandTester::Rows> {
 protected:
  void Pass(int ms) { tester_.clock().Advance(Millis(ms)); }
  std::string Text(const std::string& line) { return tester_.Text(line); }
  std::string Lag() {
    const auto texts = Text("xinfo groups s");
    return texts.substr(texts.find("lag, "));
  }

  CommandTester tester_{{StreamFamily(), PlainKeys()}, GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Rows, StreamMaxAge,
                         testing::Values(CommandTester::Rows::kPlainMaps,
                                         CommandTester::Rows::kDatabase));

TEST_P(StreamMaxAge, HidesAnEntryAtItsInstant) {
  Text("xadd s maxage 10 1 a 1");
  Pass(4);
  Text("xadd s 2 a 2");  // The policy stays.
  Pass(5);
  Converse(tester_, {{"xlen s", "2"}, {"xrange s - +", "[[1-0, [a, 1]], [2-0, [a, 2]]]"}});
  Pass(1);
  Converse(tester_, {{"xlen s", "1"},
                     {"xrange s - +", "[[2-0, [a, 2]]]"},
                     {"xrevrange s + -", "[[2-0, [a, 2]]]"},
                     {"xread streams s 0", "[[s, [[2-0, [a, 2]]]]]"},
                     {"xdel s 1-0", "0"}});
  Pass(1);
  EXPECT_EQ(Text("xlen s"), "1");
  Pass(3);
  Converse(tester_,
           {{"xlen s", "0"}, {"xrange s - +", "[]"}, {"xread streams s 0", "(nil array)"}});
  // The stream stays, with what it knows.
  EXPECT_EQ(Text("xinfo stream s"),
            "[length, 0, radix-tree-keys, 0, radix-tree-nodes, 1, last-generated-id, 2-0, "
            "max-deleted-entry-id, 0-0, entries-added, 2, recorded-first-entry-id, 0-0, groups, 0, "
            "first-entry, (nil), last-entry, (nil), max-age, 10]");
  EXPECT_EQ(Text("xadd s 2 a 1"),
            "ERR The ID specified in XADD is equal or smaller than the target stream top item");
}

TEST_P(StreamMaxAge, IsAPolicyForNewEntries) {
  Text("xadd s 1 a 1");
  Converse(tester_, {{"xmaxage s", "0"},
                     {"xmaxage s 5", "OK"},
                     {"xmaxage s", "5"},
                     {"xmaxage t", "ERR no such key"},
                     {"xmaxage s -1", "ERR The MAXAGE argument must be >= 0."},
                     {"xadd s maxage x 2 a 1", kNotAnInteger},
                     {"xmaxage s 9223372036854775807", "ERR value is out of range"},
                     {"xmaxage s 1 2", WrongArityOf("xmaxage")}});
  Text("xadd s 2 a 2");
  Text("xadd s maxage 0 3 a 3");
  Pass(5);
  EXPECT_EQ(Text("xrange s - +"), "[[1-0, [a, 1]], [3-0, [a, 3]]]");
}

TEST_P(StreamMaxAge, KeepsLagsTrue) {
  Text("xadd s maxage 10 1 a 1");
  Text("xgroup create s g 0");
  Pass(4);
  Text("xadd s 2 a 2");
  Text("xadd s 3 a 3");
  EXPECT_EQ(Lag(), "lag, 3]]");
  Pass(6);
  EXPECT_EQ(Lag(), "lag, 2]]");
  Text("xreadgroup group g c count 1 streams s >");
  EXPECT_EQ(Lag(), "lag, 1]]");
  Pass(4);
  EXPECT_EQ(Lag(), "lag, 0]]");
  Text("xadd s 4 a 4");
  EXPECT_EQ(Lag(), "lag, 1]]");
  Text("xreadgroup group g c streams s >");
  EXPECT_EQ(Lag(), "lag, 0]]");
}

TEST_P(StreamMaxAge, TellsNoLagWhileEntriesDieOutOfOrder) {
  Text("xadd s maxage 100 1 a 1");
  Text("xadd s 2 a 2");
  Text("xgroup create s g 0");
  Text("xadd s maxage 5 3 a 3");
  Text("xadd s 4 a 4");
  Text("xreadgroup group g c count 1 streams s >");
  EXPECT_EQ(Lag(), "lag, (nil)]]");
  Pass(5);
  EXPECT_EQ(Text("xlen s"), "2");
  EXPECT_EQ(Lag(), "lag, (nil)]]");
  Text("xadd s 5 a 5");
  Pass(4);
  Text("xdel s 1 2");
  EXPECT_EQ(Lag(), "lag, 1]]");
}

TEST_P(StreamMaxAge, LeavesWhatIsPendingToItsConsumers) {
  Text("xadd s maxage 10 1 a 1");
  Text("xadd s maxage 20 2 a 1");
  Text("xgroup create s g 0");
  Text("xreadgroup group g c streams s >");
  Pass(10);
  Converse(tester_,
           {{"xpending s g", "[2, 1-0, 2-0, [[c, 2]]]"},
            {"xreadgroup group g c streams s 0", "[[s, [[1-0, (nil array)], [2-0, [a, 1]]]]]"},
            {"xautoclaim s g d 0 0", "[0-0, [[2-0, [a, 1]]], [1-0]]"},
            {"xpending s g", "[1, 2-0, 2-0, [[d, 1]]]"}});
}

TEST_P(StreamMaxAge, TrimsAndCountsBesideTheDead) {
  for (int i = 1; i <= 300; ++i) {
    Text("xadd s maxage 50 " + std::to_string(i) + " a 1");
    Pass(1);
  }
  Converse(tester_, {{"xlen s", "49"},
                     {"xrange s - + count 1", "[[252-0, [a, 1]]]"},
                     {"xtrim s maxlen 10", "39"},
                     {"xrange s - + count 1", "[[291-0, [a, 1]]]"},
                     {"xtrim s minid 295", "4"},
                     {"xlen s", "6"}});
}

}  // namespace
}  // namespace mayfly::server
