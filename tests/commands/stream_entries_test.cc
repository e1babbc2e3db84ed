// Goal: commands on the entries of streams: replies, errors, notifications.
// Method: commands on plain maps and on the core, with a manual clock.
#include <gtest/gtest.h>

#include "conversation.h"

namespace mayfly::server {
namespace {

constexpr char kBadId[] = "ERR Invalid stream ID specified as stream command argument";
constexpr char kNotBehind[] =
    "ERR The ID specified in XADD is equal or smaller than the target stream top item";

class StreamEntries : public testing::TestWithParam<CommandTester::Rows> {
 protected:
  CommandTester tester_{{StreamFamily(), PlainKeys()}, GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Rows, StreamEntries,
                         testing::Values(CommandTester::Rows::kPlainMaps,
                                         CommandTester::Rows::kDatabase));

TEST_P(StreamEntries, AreAddedBehindTheLast) {
  Converse(tester_, {{"xadd s 5-1 a 1", "5-1"},
                     {"xadd s 5-* a 2", "5-2"},
                     {"xadd s 6 a 3", "6-0"},
                     {"xadd s 7-* a 4 b 5", "7-0"},
                     {"xlen s", "4"},
                     {"xrange s - +",
                      "[[5-1, [a, 1]], [5-2, [a, 2]], [6-0, [a, 3]], "
                      "[7-0, [a, 4, b, 5]]]"},
                     {"xrevrange s + - count 1", "[[7-0, [a, 4, b, 5]]]"},
                     {"xrange s (5-1 (7-0", "[[5-2, [a, 2]], [6-0, [a, 3]]]"},
                     {"xrange s 5 5", "[[5-1, [a, 1]], [5-2, [a, 2]]]"},
                     {"xrange s - + count 0", "(nil array)"},
                     {"xrange t - + count 0", "[]"},
                     {"xlen t", "0"}});
  Refuse(tester_, kNotBehind, {"xadd s 7-0 a 1", "xadd s 6-* a 1", "xadd s 1 a 1"});
  Refuse(tester_, kBadId, {"xadd s x a 1", "xadd s - a 1", "xadd s 1-x a 1", "xrange s x +"});
  Refuse(tester_, WrongArityOf("xadd"), {"xadd s * a", "xadd s 9 a 1 b", "xadd s maxlen 3 *"});
  EXPECT_EQ(tester_.Text("xadd s 0-0 a 1"),
            "ERR The ID specified in XADD must be greater than 0-0");
  EXPECT_EQ(tester_.Text("xadd n nomkstream 1-1 a 1"), "(nil)");
  EXPECT_EQ(tester_.Text("xlen n"), "0");
}

TEST_P(StreamEntries, GetTheTimeAsTheirId) {
  const std::string now = std::to_string(ToMs(tester_.clock().Now()));
  Converse(tester_, {{"xadd s * a 1", now + "-0"}, {"xadd s * a 2", now + "-1"}});
  tester_.clock().Advance(Millis(3));
  const std::string later = std::to_string(ToMs(tester_.clock().Now()));
  Converse(tester_, {{"xadd s * a 3", later + "-0"}});
  // A clock behind the last id.
  Converse(tester_, {{"xadd t 99999999999999-7 a 1", "99999999999999-7"},
                     {"xadd t * a 2", "99999999999999-8"}});
  Converse(tester_,
           {{"xadd u 18446744073709551615-18446744073709551615 a 1",
             "18446744073709551615-18446744073709551615"},
            {"xadd u * a 1",
             "ERR The stream has exhausted the last possible ID, unable to add more items"}});
}

TEST_P(StreamEntries, AreTrimmedFromTheOldestOn) {
  for (int i = 1; i <= 250; ++i) tester_.Text("xadd s " + std::to_string(i) + " a 1");
  Converse(tester_, {{"xtrim s maxlen 249", "1"},
                     {"xtrim s maxlen ~ 200", "0"},
                     {"xtrim s maxlen ~ 100", "99"},
                     {"xrange s - + count 1", "[[101-0, [a, 1]]]"},
                     {"xtrim s maxlen ~ 0 limit 99", "0"},
                     {"xtrim s minid ~ 200", "0"},
                     {"xtrim s minid ~ 201", "100"},
                     {"xtrim s minid 240", "39"},
                     {"xadd s maxlen = 3 251 b 2", "251-0"},
                     {"xrange s - +", "[[249-0, [a, 1]], [250-0, [a, 1]], [251-0, [b, 2]]]"},
                     {"xadd s minid 251 252 c 3", "252-0"},
                     {"xlen s", "2"},
                     {"xtrim s maxlen 0", "2"},
                     {"xrange s - +", "[]"},
                     {"xadd s 252 a 1", kNotBehind}});
  Refuse(tester_, "ERR syntax error, LIMIT cannot be used without the special ~ option",
         {"xtrim s maxlen 1 limit 3", "xadd s maxlen = 1 limit 3 * a 1"});
  Refuse(tester_, "ERR syntax error, XTRIM must be called with a trimming strategy",
         {"xtrim s limit 0"});
  Refuse(tester_, kSyntaxError, {"xtrim s nothing 5", "xtrim s maxlen 1 maxage 5"});
}

TEST_P(StreamEntries, AreRemovedAndLeaveTheStream) {
  Converse(tester_, {{"xadd s 1-1 a 1", "1-1"},
                     {"xadd s 2-1 a 2", "2-1"},
                     {"xadd s 3-1 a 3", "3-1"},
                     {"xdel s 2-1 9-9 2-1", "1"},
                     {"xrange s - +", "[[1-1, [a, 1]], [3-1, [a, 3]]]"},
                     {"xdel s 1-1 3-1", "2"},
                     {"xlen s", "0"},
                     {"xadd s 3-1 a 4", kNotBehind},
                     {"xdel s x", kBadId},
                     {"xdel t x", "0"}});
  EXPECT_EQ(tester_.Text("xinfo stream s"),
            "[length, 0, radix-tree-keys, 0, radix-tree-nodes, 1, last-generated-id, 3-1, "
            "max-deleted-entry-id, 3-1, entries-added, 3, recorded-first-entry-id, 0-0, groups, 0, "
            "first-entry, (nil), last-entry, (nil)]");
}

TEST_P(StreamEntries, FollowALastIdThatIsSet) {
  Converse(tester_, {{"xadd s 5-1 a 1", "5-1"},
                     {"xsetid s 9-9 entriesadded 7 maxdeletedid 3-3", "OK"},
                     {"xadd s 9-9 a 2", kNotBehind},
                     {"xadd s 9-* a 2", "9-10"},
                     {"xsetid s 4",
                      "ERR The ID specified in XSETID is smaller than the target stream top item"},
                     {"xsetid s 9-10 entriesadded 1",
                      "ERR The entries_added specified in XSETID is smaller than the target stream "
                      "length"},
                     {"xsetid s 9-10 entriesadded -1", "ERR entries_added must be positive"},
                     {"xsetid s 9-10 maxdeletedid 10",
                      "ERR The ID specified in XSETID is smaller than the provided "
                      "max_deleted_entry_id"},
                     {"xsetid t 1", "ERR no such key"}});
}

TEST_P(StreamEntries, ReadBehindAnId) {
  Converse(tester_, {{"xadd s 1-1 a 1", "1-1"},
                     {"xadd s 2-1 a 2", "2-1"},
                     {"xread streams s 1-1", "[[s, [[2-1, [a, 2]]]]]"},
                     {"xread count 1 streams s t 0 0", "[[s, [[1-1, [a, 1]]]]]"},
                     {"xread streams s $", "(nil array)"},
                     {"xread streams s +", "[[s, [[2-1, [a, 2]]]]]"},
                     {"xread streams t +", "(nil array)"},
                     {"xread block 0 streams s $", "(nil array)"}});
  Refuse(tester_,
         "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be "
         "specified.",
         {"xread streams s t 0", "xread count 3 streams s t $"});
  Refuse(tester_, kSyntaxError, {"xread count 1 s 0", "xread nothing 1 streams s 0"});
  EXPECT_EQ(InResp3(tester_, "xread streams s 1-1"), "%1 $1 s *1 *2 $3 2-1 *2 $1 a $1 2");
}

TEST_P(StreamEntries, WaitForAnIdThatIsResolved) {
  tester_.AllowBlocking(true);
  tester_.Text("xadd s 4-1 a 1");
  tester_.Text("xread block 1500 count 3 streams s t $ $");
  ASSERT_TRUE(tester_.blocked().has_value());
  EXPECT_EQ(tester_.blocked()->keys, (Notes{"s", "t"}));
  EXPECT_EQ(tester_.blocked()->timeout, Millis(1500));
  EXPECT_EQ(tester_.blocked()->args,
            (Notes{"xread", "block", "1500", "count", "3", "streams", "s", "t", "4-1", "0-0"}));
  EXPECT_FALSE(tester_.blocked()->also_removed);
  // A key of another type is as good as none to one that waits.
  tester_.Text("put t v");
  EXPECT_EQ(tester_.Text("xread block 0 streams t $"), kWrongType);
  tester_.Retry(true);
  tester_.Text("xread block 0 streams t 0-0");
  EXPECT_TRUE(tester_.blocked().has_value());
  Refuse(tester_, "ERR timeout is negative", {"xread block -1 streams s $"});
  Refuse(tester_, "ERR timeout is not an integer or out of range", {"xread block x streams s $"});
}

TEST_P(StreamEntries, NotifyOfWhatHappens) {
  tester_.Text("xadd s 1 a 1");
  EXPECT_EQ(tester_.notifications(), (Notes{"n new 0 s", "t xadd 0 s"}));
  tester_.Text("xadd s maxlen 1 2 a 1");
  EXPECT_EQ(tester_.notifications(), (Notes{"t xadd 0 s", "t xtrim 0 s"}));
  tester_.Text("xdel s 2");
  EXPECT_EQ(tester_.notifications(), (Notes{"t xdel 0 s"}));
  tester_.Text("xtrim s maxlen 0");
  EXPECT_EQ(tester_.notifications(), Notes{});
  tester_.Text("xsetid s 9");
  EXPECT_EQ(tester_.notifications(), (Notes{"t xsetid 0 s"}));
}

TEST_P(StreamEntries, AreNotOfAnotherType) {
  tester_.Text("put k v");
  Refuse(tester_, kWrongType,
         {"xadd k * a 1", "xlen k", "xrange k - +", "xdel k 1-1", "xtrim k maxlen 1", "xsetid k 1",
          "xread streams k 0", "xinfo stream k", "xgroup create k g 0", "xack k g 1",
          "xpending k g", "xclaim k g c 0 1", "xautoclaim k g c 0 0", "xmaxage k"});
}

TEST_P(StreamEntries, DieWithTheirKey) {
  tester_.Text("xadd s 1 a 1");
  tester_.Text("live s 10");
  tester_.clock().Advance(Millis(9));
  EXPECT_EQ(tester_.Text("xadd s 2 a 1"), "2-0");
  EXPECT_EQ(tester_.Text("ttl s"), "1");
  tester_.clock().Advance(Millis(1));
  EXPECT_EQ(tester_.Text("xlen s"), "0");
  EXPECT_EQ(tester_.Text("xadd s 1 a 1"), "1-0");
  EXPECT_EQ(tester_.Text("ttl s"), "-1");
}

}  // namespace
}  // namespace mayfly::server
