// Goal: pops from the ends of sorted sets, at once or by blocking.
// Method: conversations on plain maps; block requests are read from the tester.
#include "conversation.h"

namespace mayfly::server {
namespace {

class SortedSetPops : public testing::Test {
 protected:
  SortedSetPops() { Converse(tester, {{"zadd z 1 a 2 b 3 c", "3"}, {"put str x", "OK"}}); }

  // The command must wait for these keys.
  std::optional<Millis> WaitFor(const std::string& line, const std::vector<std::string>& keys) {
    tester.AllowBlocking(true);
    tester.Run(line);
    tester.AllowBlocking(false);
    EXPECT_TRUE(tester.blocked().has_value()) << line;
    if (!tester.blocked()) return std::nullopt;
    EXPECT_EQ(tester.blocked()->keys, keys) << line;
    EXPECT_TRUE(tester.blocked()->null_array);
    return tester.blocked()->timeout;
  }

  CommandTester tester{{SortedSetFamily(), PlainKeys()}};
};

TEST_F(SortedSetPops, FromEitherEnd) {
  Converse(tester, {{"zpopmin z", "[a, 1]"},
                    {"zpopmax z", "[c, 3]"},
                    {"zadd z 1 a", "1"},
                    {"zpopmin z 0", "[]"},
                    {"zpopmax z 9", "[b, 2, a, 1]"},
                    {"ttl z", "-2"},
                    {"zpopmin z", "[]"},
                    {"zpopmin z 3", "[]"}});
  Refuse(tester, "ERR value is out of range, must be positive",
         {"zpopmin z -1", "zpopmax z x", "zpopmin str -1"});
  Refuse(tester, kSyntaxError, {"zpopmin z 1 2", "zpopmax z 1 2"});
  Refuse(tester, kWrongType, {"zpopmin str", "zpopmax str 1", "zpopmin str 0"});
  Refuse(tester, WrongArityOf("zpopmin"), {"zpopmin"});
}

TEST_F(SortedSetPops, PairsAreNestedInResp3WhereThereIsACount) {
  EXPECT_EQ(InResp3(tester, "zpopmin z"), "*2 $1 a ,1");
  EXPECT_EQ(InResp3(tester, "zpopmin z 1"), "*1 *2 $1 b ,2");
  EXPECT_EQ(InResp3(tester, "bzpopmax z 0"), "*3 $1 z $1 c ,3");
  EXPECT_EQ(InResp3(tester, "zpopmin z 1"), "*0");
  tester.Run("zadd z 1 a");
  EXPECT_EQ(InResp3(tester, "zmpop 1 z min"), "*2 $1 z *1 *2 $1 a ,1");
  EXPECT_EQ(InResp3(tester, "zmpop 1 z min"), "_");
}

TEST_F(SortedSetPops, FromTheFirstOfSeveral) {
  Converse(tester, {{"zmpop 2 no z min", "[z, [[a, 1]]]"},
                    {"zmpop 2 z str MAX COUNT 9", "[z, [[c, 3], [b, 2]]]"},
                    {"zmpop 1 no max", "(nil array)"},
                    {"zadd z 1 a", "1"}});
  Refuse(tester, kWrongType, {"zmpop 2 str z min", "zmpop 2 no str min"});
  Refuse(tester, "ERR numkeys should be greater than 0",
         {"zmpop 0 z min", "zmpop x z min", "zmpop -1 z min"});
  Refuse(tester, "ERR count should be greater than 0",
         {"zmpop 1 z min count 0", "zmpop 1 z min count x", "zmpop 1 z min count -1"});
  Refuse(tester, kSyntaxError,
         {"zmpop 1 z other", "zmpop 2 z min", "zmpop 9 z min", "zmpop 9223372036854775807 z min",
          "zmpop 1 z min count", "zmpop 1 z min count 1 count 1", "zmpop 1 z min other"});
  Refuse(tester, WrongArityOf("zmpop"), {"zmpop 1 z"});
}

TEST_F(SortedSetPops, PopsAreTold) {
  tester.Run("zpopmin z");
  EXPECT_EQ(tester.notifications(), Notes{"z zpopmin 0 z"});
  tester.Run("bzpopmax z 0");
  EXPECT_EQ(tester.notifications(), Notes{"z zpopmax 0 z"});
  tester.Run("zmpop 1 z max");
  EXPECT_EQ(tester.notifications(), (Notes{"z zpopmax 0 z", "g del 0 z"}));
  tester.Run("zpopmin z");
  EXPECT_EQ(tester.notifications(), Notes{});
}

TEST_F(SortedSetPops, WhatIsThereIsTakenWithoutWaiting) {
  tester.AllowBlocking(true);
  Converse(tester, {{"bzpopmin no z 0", "[z, a, 1]"},
                    {"bzpopmax z str 1.5", "[z, c, 3]"},
                    {"bzmpop 0 2 no z min count 5", "[z, [[b, 2]]]"}});
  EXPECT_FALSE(tester.blocked().has_value());
}

TEST_F(SortedSetPops, WhatIsNotThereIsWaitedFor) {
  EXPECT_EQ(WaitFor("bzpopmin p q 0", {"p", "q"}), std::nullopt);
  EXPECT_EQ(WaitFor("bzpopmax p 1.5", {"p"}), Millis(1500));
  EXPECT_EQ(WaitFor("bzpopmax p 0.0001", {"p"}), Millis(1));
  EXPECT_EQ(WaitFor("bzmpop 2 2 p q max count 3", {"p", "q"}), Millis(2000));
}

TEST_F(SortedSetPops, WhoMayNotWaitIsToldThatTimeIsOver) {
  Converse(tester, {{"bzpopmin no 0", "(nil array)"},
                    {"bzpopmax no 5", "(nil array)"},
                    {"bzmpop 0 1 no min", "(nil array)"}});
  EXPECT_FALSE(tester.blocked().has_value());
}

TEST_F(SortedSetPops, WaitingSurvivesAKeyOfAnotherType) {
  tester.AllowBlocking(true);
  EXPECT_EQ(tester.Text("bzpopmin str no 0"), kWrongType);
  tester.Retry(true);
  WaitFor("bzpopmin str no 0", {"str", "no"});
  WaitFor("bzmpop 0 1 str min", {"str"});
  EXPECT_EQ(tester.Text("bzpopmin str z 0"), "[z, a, 1]");
}

TEST_F(SortedSetPops, TimesThatAreNoneAreRefusedFirst) {
  Refuse(tester, "ERR timeout is not a float or out of range",
         {"bzpopmin z x", "bzpopmax str \"\"", "bzmpop x 1 z min", "bzpopmin z nan"});
  Refuse(tester, "ERR timeout is negative", {"bzpopmin z -1", "bzmpop -1 1 z min"});
  Refuse(tester, kSyntaxError, {"bzmpop x 1 z other"});
  Refuse(tester, "ERR numkeys should be greater than 0", {"bzmpop x 0 z min"});
  Refuse(tester, WrongArityOf("bzpopmin"), {"bzpopmin z"});
  Refuse(tester, WrongArityOf("bzmpop"), {"bzmpop 0 1 z"});
}

TEST_F(SortedSetPops, TheDeadAreNotPopped) {
  tester.Run("live z 100");
  tester.clock().Advance(Millis(99));
  EXPECT_EQ(tester.Text("zpopmin z"), "[a, 1]");
  tester.clock().Advance(Millis(1));
  EXPECT_EQ(tester.Text("zpopmin z"), "[]");
  tester.clock().Advance(Millis(1));
  WaitFor("bzpopmin z 0", {"z"});
}

}  // namespace
}  // namespace mayfly::server
