// Goal: groups of consumers: what is delivered to whom, what is pending, and how far a group lags.
// Method: commands on plain maps and on the core, with a manual clock.
#include <gtest/gtest.h>

#include "conversation.h"

namespace mayfly::server {
namespace {

class StreamGroups : public testing::TestWithParam<CommandTester::Rows> {
 protected:
  // Entries 1-0 to n-0.
  void Fill(int n) {
    for (int i = 1; i <= n; ++i) tester_.Text("xadd s " + std::to_string(i) + " a 1");
  }

  CommandTester tester_{{StreamFamily(), PlainKeys()}, GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Rows, StreamGroups,
                         testing::Values(CommandTester::Rows::kPlainMaps,
                                         CommandTester::Rows::kDatabase));

TEST_P(StreamGroups, AreMadeOnce) {
  Converse(
      tester_,
      {{"xgroup create s g $",
        "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may "
        "want to use the MKSTREAM option to create an empty stream automatically."},
       {"xgroup create s g $ mkstream", "OK"},
       {"xlen s", "0"},
       {"xgroup create s g 0", "BUSYGROUP Consumer Group name already exists"},
       {"xgroup create s h x", "ERR Invalid stream ID specified as stream command argument"},
       {"xgroup destroy s h", "0"},
       {"xgroup destroy s g", "1"},
       {"xinfo groups s", "[]"},
       {"xgroup setid s g 0", "NOGROUP No such consumer group 'g' for key name 's'"},
       {"xgroup createconsumer s g c", "NOGROUP No such consumer group 'g' for key name 's'"}});
}

TEST_P(StreamGroups, DeliverEachEntryOnce) {
  Fill(4);
  tester_.Text("xgroup create s g 0");
  Converse(tester_,
           {{"xreadgroup group g c count 2 streams s >", "[[s, [[1-0, [a, 1]], [2-0, [a, 1]]]]]"},
            {"xreadgroup group g d streams s >", "[[s, [[3-0, [a, 1]], [4-0, [a, 1]]]]]"},
            {"xreadgroup group g d streams s >", "(nil array)"},
            {"xreadgroup group g c streams s 0", "[[s, [[1-0, [a, 1]], [2-0, [a, 1]]]]]"},
            {"xreadgroup group g c streams s 1-0", "[[s, [[2-0, [a, 1]]]]]"},
            {"xreadgroup group g e streams s 0", "[[s, []]]"},
            {"xpending s g", "[4, 1-0, 4-0, [[c, 2], [d, 2]]]"},
            {"xack s g 1-0 3-0 9-9", "2"},
            {"xack s g 1-0", "0"},
            {"xpending s g", "[2, 2-0, 4-0, [[c, 1], [d, 1]]]"},
            {"xdel s 2-0", "1"},
            {"xreadgroup group g c streams s 0", "[[s, [[2-0, (nil array)]]]]"},
            {"xgroup delconsumer s g d", "1"},
            {"xpending s g", "[1, 2-0, 2-0, [[c, 1]]]"},
            {"xreadgroup group h c streams s >",
             "NOGROUP No such key 's' or consumer group 'h' in XREADGROUP with GROUP option"}});
  EXPECT_EQ(InResp3(tester_, "xreadgroup group g c count 1 streams s 0"), "%1 $1 s *1 *2 $3 2-0 _");
}

TEST_P(StreamGroups, NameAStreamTwice) {
  Fill(3);
  tester_.Text("xgroup create s g 0");
  EXPECT_EQ(tester_.Text("xreadgroup group g c count 1 streams s s > >"),
            "[[s, [[1-0, [a, 1]]]], [s, [[2-0, [a, 1]]]]]");
  EXPECT_EQ(tester_.Text("xpending s g"), "[2, 1-0, 2-0, [[c, 2]]]");
}

TEST_P(StreamGroups, KeepNothingPendingWithNoAck) {
  Fill(2);
  tester_.Text("xgroup create s g 0");
  Converse(tester_,
           {{"xreadgroup group g c noack streams s >", "[[s, [[1-0, [a, 1]], [2-0, [a, 1]]]]]"},
            {"xpending s g", "[0, (nil), (nil), (nil array)]"},
            {"xinfo consumers s g", "[[name, c, pending, 0, idle, 0]]"}});
}

TEST_P(StreamGroups, ShowWhatIsPending) {
  Fill(3);
  tester_.Text("xgroup create s g 0");
  tester_.Text("xreadgroup group g c count 2 streams s >");
  tester_.clock().Advance(Millis(20));
  tester_.Text("xreadgroup group g d streams s >");
  Converse(tester_, {{"xpending s g - + 10", "[[1-0, c, 20, 1], [2-0, c, 20, 1], [3-0, d, 0, 1]]"},
                     {"xpending s g - + 10 d", "[[3-0, d, 0, 1]]"},
                     {"xpending s g idle 20 - + 10", "[[1-0, c, 20, 1], [2-0, c, 20, 1]]"},
                     {"xpending s g idle 21 - + 10", "[]"},
                     {"xpending s g (1-0 + 1", "[[2-0, c, 20, 1]]"},
                     {"xpending s g - + 10 nobody", "[]"},
                     {"xpending s h", "NOGROUP No such key 's' or consumer group 'h'"}});
  Refuse(tester_, kSyntaxError, {"xpending s g -", "xpending s g idle 3 - +"});
}

TEST_P(StreamGroups, ClaimWhatWasIdle) {
  Fill(3);
  tester_.Text("xgroup create s g 0");
  tester_.Text("xreadgroup group g c streams s >");
  tester_.clock().Advance(Millis(10));
  Converse(tester_, {{"xclaim s g d 11 1-0", "[]"},
                     {"xclaim s g d 10 1-0", "[[1-0, [a, 1]]]"},
                     {"xclaim s g d 0 2-0 justid idle 4 retrycount 7", "[2-0]"},
                     {"xpending s g - + 10", "[[1-0, d, 0, 2], [2-0, d, 4, 7], [3-0, c, 10, 1]]"},
                     {"xclaim s g d 0 9-0 force", "[]"},
                     {"xdel s 3-0", "1"},
                     {"xclaim s g d 0 3-0", "[]"},
                     {"xpending s g", "[2, 1-0, 2-0, [[d, 2]]]"},
                     {"xclaim s g d 0 1-0 nothing", "ERR Unrecognized XCLAIM option 'nothing'"},
                     {"xclaim s g d x 1-0", "ERR Invalid min-idle-time argument for XCLAIM"}});
}

TEST_P(StreamGroups, ClaimInPages) {
  Fill(5);
  tester_.Text("xgroup create s g 0");
  tester_.Text("xreadgroup group g c streams s >");
  tester_.Text("xdel s 2-0");
  Converse(tester_, {{"xautoclaim s g d 0 - count 2", "[3-0, [[1-0, [a, 1]]], [2-0]]"},
                     {"xautoclaim s g d 0 3-0 count 2 justid", "[5-0, [3-0, 4-0], []]"},
                     {"xautoclaim s g d 0 5-0", "[0-0, [[5-0, [a, 1]]], []]"},
                     {"xautoclaim s g e 1 0", "[0-0, [], []]"},
                     {"xpending s g - + 10",
                      "[[1-0, d, 0, 2], [3-0, d, 0, 1], [4-0, d, 0, 1], "
                      "[5-0, d, 0, 2]]"},
                     {"xautoclaim s g d 0 0 count 0", "ERR COUNT must be > 0"}});
}

TEST_P(StreamGroups, ManyAcknowledgedLeaveTheEndsRight) {
  tester_.Text("xgroup create s g 0 mkstream");
  Fill(500);
  tester_.Text("xreadgroup group g c streams s >");
  for (int i = 2; i <= 499; ++i) {
    if (i == 250) continue;
    EXPECT_EQ(tester_.Text("xack s g " + std::to_string(i)), "1");
  }
  EXPECT_EQ(tester_.Text("xpending s g"), "[3, 1-0, 500-0, [[c, 3]]]");
  tester_.Text("xack s g 1 500");
  EXPECT_EQ(tester_.Text("xpending s g"), "[1, 250-0, 250-0, [[c, 1]]]");
  EXPECT_EQ(tester_.Text("xgroup delconsumer s g c"), "1");
}

TEST_P(StreamGroups, SurviveATrimThatLeavesFew) {
  tester_.Text("xgroup create s g 0 mkstream");
  Fill(700);
  tester_.Text("xreadgroup group g c count 3 streams s >");
  Converse(tester_, {{"live s 1000", "OK"},
                     {"xtrim s maxlen 2", "698"},
                     {"ttl s", "1000"},
                     {"xrange s - +", "[[699-0, [a, 1]], [700-0, [a, 1]]]"},
                     {"xpending s g", "[3, 1-0, 3-0, [[c, 3]]]"},
                     {"xadd s 701 a 1", "701-0"},
                     {"xreadgroup group g c count 1 streams s >", "[[s, [[699-0, [a, 1]]]]]"},
                     {"xlen s", "3"}});
}

TEST_P(StreamGroups, LagIsExactOrUnknown) {
  Fill(5);
  const auto lag = [&] {
    const auto texts = tester_.Text("xinfo groups s");
    return texts.substr(texts.find("entries-read"));
  };
  tester_.Text("xgroup create s g 0");
  EXPECT_EQ(lag(), "entries-read, (nil), lag, 5]]");
  tester_.Text("xreadgroup group g c count 1 streams s >");
  EXPECT_EQ(lag(), "entries-read, 1, lag, 4]]");
  tester_.Text("xtrim s maxlen 2");
  EXPECT_EQ(lag(), "entries-read, 1, lag, 2]]");
  tester_.Text("xreadgroup group g c count 1 streams s >");
  EXPECT_EQ(lag(), "entries-read, 4, lag, 1]]");
  tester_.Text("xadd s 6 a 1");
  tester_.Text("xdel s 5");
  EXPECT_EQ(lag(), "entries-read, 4, lag, (nil)]]");
  tester_.Text("xreadgroup group g c streams s >");
  EXPECT_EQ(lag(), "entries-read, 6, lag, 0]]");
}

TEST_P(StreamGroups, WaitersAreToldWhenTheirStreamIsGone) {
  tester_.AllowBlocking(true);
  tester_.Text("xgroup create s g 0 mkstream");
  tester_.Text("xreadgroup group g c block 0 streams s >");
  ASSERT_TRUE(tester_.blocked().has_value());
  EXPECT_TRUE(tester_.blocked()->also_removed);
  EXPECT_TRUE(tester_.blocked()->args.empty());
  tester_.Retry(true);
  tester_.Text("xgroup destroy s g");
  EXPECT_EQ(tester_.Text("xreadgroup group g c block 0 streams s >"),
            "NOGROUP the consumer group this client was blocked on no longer exists");
  tester_.Text("put s v");
  EXPECT_EQ(tester_.Text("xreadgroup group g c block 0 streams s >"),
            "UNBLOCKED the stream key no longer exists");
}

TEST_P(StreamGroups, NotifyOfConsumers) {
  tester_.Text("xgroup create s g 0 mkstream");
  EXPECT_EQ(tester_.notifications(), (Notes{"n new 0 s", "t xgroup-create 0 s"}));
  Fill(1);
  tester_.Text("xreadgroup group g c streams s >");
  EXPECT_EQ(tester_.notifications(), (Notes{"t xgroup-createconsumer 0 s"}));
  tester_.Text("xgroup createconsumer s g d");
  EXPECT_EQ(tester_.notifications(), (Notes{"t xgroup-createconsumer 0 s"}));
  tester_.Text("xgroup delconsumer s g d");
  EXPECT_EQ(tester_.notifications(), (Notes{"t xgroup-delconsumer 0 s"}));
  tester_.Text("xgroup setid s g $");
  EXPECT_EQ(tester_.notifications(), (Notes{"t xgroup-setid 0 s"}));
  tester_.Text("xgroup destroy s g");
  EXPECT_EQ(tester_.notifications(), (Notes{"t xgroup-destroy 0 s"}));
}

}  // namespace
}  // namespace mayfly::server
