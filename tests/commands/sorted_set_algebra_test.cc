// Unions, intersections and differences of sorted sets and sets, with weights and aggregates.
// Method: conversations on plain maps.
#include "conversation.h"

namespace mayfly::server {
namespace {

class SortedSetAlgebra : public testing::Test {
 protected:
  SortedSetAlgebra() {
    Converse(tester, {{"zadd y 1 a 2 b 3 c", "3"},
                      {"zadd z 10 b 20 c 30 d", "3"},
                      {"sadd s a b e", "3"},
                      {"zadd i inf p -inf m", "2"},
                      {"put str x", "OK"}});
  }

  CommandTester tester{{SetFamily(), SortedSetFamily(), PlainKeys()}};
};

TEST_F(SortedSetAlgebra, Unions) {
  Converse(tester, {{"zunion 2 y z", "[a, b, c, d]"},
                    {"zunion 2 y z withscores", "[a, 1, b, 12, c, 23, d, 30]"},
                    {"zunion 2 y z weights 2 0.5 withscores", "[a, 2, b, 9, d, 15, c, 16]"},
                    {"zunion 2 y z aggregate min withscores", "[a, 1, b, 2, c, 3, d, 30]"},
                    {"zunion 2 y z AGGREGATE MAX WITHSCORES", "[a, 1, b, 10, c, 20, d, 30]"},
                    {"zunion 2 y s withscores", "[e, 1, a, 2, b, 3, c, 3]"},
                    {"zunion 2 y y withscores", "[a, 2, b, 4, c, 6]"},
                    {"zunion 2 y no", "[a, b, c]"},
                    {"zunion 1 no withscores", "[]"}});
}

TEST_F(SortedSetAlgebra, Intersections) {
  Converse(tester, {{"zinter 2 y z withscores", "[b, 12, c, 23]"},
                    {"zinter 2 y z weights 2 3 aggregate sum withscores", "[b, 34, c, 66]"},
                    {"zinter 3 y z s aggregate max withscores", "[b, 10]"},
                    {"zinter 2 s s withscores", "[a, 2, b, 2, e, 2]"},
                    {"zinter 2 y no", "[]"},
                    {"zintercard 2 y z", "2"},
                    {"zintercard 2 y z limit 1", "1"},
                    {"zintercard 2 y z limit 0", "2"},
                    {"zintercard 2 y s limit 9", "2"},
                    {"zintercard 2 y no", "0"}});
}

TEST_F(SortedSetAlgebra, Differences) {
  Converse(tester, {{"zdiff 2 y z withscores", "[a, 1]"},
                    {"zdiff 2 y s withscores", "[c, 3]"},
                    {"zdiff 2 s y withscores", "[e, 1]"},
                    {"zdiff 1 y", "[a, b, c]"},
                    {"zdiff 2 y y", "[]"},
                    {"zdiff 2 no y", "[]"},
                    {"zdiff 2 y no", "[a, b, c]"}});
}

TEST_F(SortedSetAlgebra, InfinitiesThatCancelAreZero) {
  Converse(tester, {{"zunion 2 i i weights 1 -1 withscores", "[m, 0, p, 0]"},
                    {"zinter 2 i i weights 1 -1 withscores", "[m, 0, p, 0]"},
                    {"zunion 1 i weights 0 withscores", "[m, 0, p, 0]"},
                    {"zunion 1 y weights inf withscores", "[a, inf, b, inf, c, inf]"}});
}

TEST_F(SortedSetAlgebra, StoreInPlaceOfWhateverWasThere) {
  Converse(tester, {{"zunionstore d 2 y z weights 1 2", "4"},
                    {"zrange d 0 -1 withscores", "[a, 1, b, 22, c, 43, d, 60]"},
                    {"live y 1000", "OK"},
                    {"zinterstore y 2 y z", "2"},
                    {"ttl y", "-1"},
                    {"zrange y 0 -1 withscores", "[b, 12, c, 23]"},
                    {"zdiffstore str 2 z y", "1"},
                    {"zrange str 0 -1 withscores", "[d, 30]"},
                    {"zunionstore d 1 s", "3"},
                    {"zinterstore d 2 y no", "0"},
                    {"ttl d", "-2"}});
}

TEST_F(SortedSetAlgebra, StoresAreTold) {
  tester.Run("zunionstore d 2 y z");
  EXPECT_EQ(tester.notifications(), (Notes{"n new 0 d", "z zunionstore 0 d"}));
  tester.Run("zinterstore d 2 y z");
  EXPECT_EQ(tester.notifications(), Notes{"z zinterstore 0 d"});
  tester.Run("zdiffstore d 2 y z");
  EXPECT_EQ(tester.notifications(), Notes{"z zdiffstore 0 d"});
  tester.Run("zdiffstore d 2 y y");
  EXPECT_EQ(tester.notifications(), Notes{"g del 0 d"});
}

TEST_F(SortedSetAlgebra, PairsAreNestedInResp3) {
  EXPECT_EQ(InResp3(tester, "zinter 2 y z withscores"), "*2 *2 $1 b ,12 *2 $1 c ,23");
  EXPECT_EQ(InResp3(tester, "zdiff 2 y z"), "*1 $1 a");
}

TEST_F(SortedSetAlgebra, ArgumentsThatDoNotFitAreRefused) {
  for (const char* command : {"zunion", "zinter", "zdiff", "zintercard"}) {
    const std::string name(command);
    Refuse(tester, "ERR at least 1 input key is needed for '" + name + "' command",
           {name + " 0 y", name + " -1 y"});
    Refuse(tester, kNotAnInteger, {name + " x y"});
    Refuse(tester, kSyntaxError, {name + " 2 y", name + " 1 y other"});
    Refuse(tester, kWrongType, {name + " 2 y str", name + " 1 str other"});
    Refuse(tester, WrongArityOf(name), {name + " 1"});
  }
  for (const char* command : {"zunionstore", "zinterstore", "zdiffstore"}) {
    const std::string name(command);
    Refuse(tester, "ERR at least 1 input key is needed for '" + name + "' command",
           {name + " d 0 y"});
    Refuse(tester, kSyntaxError, {name + " d 2 y", name + " d 1 y withscores"});
    Refuse(tester, kWrongType, {name + " d 2 y str"});
    Refuse(tester, WrongArityOf(name), {name + " d 1"});
  }
}

TEST_F(SortedSetAlgebra, OptionsThatDoNotFitAreRefused) {
  Refuse(tester, "ERR weight value is not a float",
         {"zunion 1 y weights x", "zinter 1 y weights nan", "zunion 2 y z weights 1 withscores"});
  Refuse(tester, kSyntaxError,
         {"zunion 1 y weights", "zunion 2 y z weights 1", "zunion 1 y aggregate",
          "zunion 1 y aggregate avg", "zdiff 1 y weights 1", "zdiff 1 y aggregate min",
          "zunion 1 y limit 1", "zintercard 1 y withscores", "zintercard 1 y weights 1",
          "zintercard 1 y limit"});
  Refuse(tester, "ERR LIMIT can't be negative",
         {"zintercard 1 y limit -1", "zintercard 1 y limit x"});
}

TEST_F(SortedSetAlgebra, TheDeadTakeNoPart) {
  tester.Run("live z 100");
  tester.clock().Advance(Millis(99));
  EXPECT_EQ(tester.Text("zinter 2 y z"), "[b, c]");
  tester.clock().Advance(Millis(1));
  EXPECT_EQ(tester.Text("zinter 2 y z"), "[]");
  tester.clock().Advance(Millis(1));
  EXPECT_EQ(tester.Text("zunion 2 y z"), "[a, b, c]");
}

}  // namespace
}  // namespace mayfly::server
