// Goal: writes to sorted sets: ZADD with its options, ZINCRBY, ZREM, ZREMRANGEBY...
// Method: conversations on plain maps; the contents afterwards are read with ZRANGE.
#include "conversation.h"

namespace mayfly::server {
namespace {

class SortedSetWrites : public testing::Test {
 protected:
  SortedSetWrites() { Converse(tester, {{"zadd z 1 a 2 b 3 c", "3"}, {"put str x", "OK"}}); }

  std::string All(const std::string& key = "z") {
    return tester.Text("zrange " + key + " 0 -1 withscores");
  }

  CommandTester tester{{SortedSetFamily(), PlainKeys()}};
};

TEST_F(SortedSetWrites, AddingCountsTheNewOrTheChanged) {
  Converse(tester, {
                       {"zadd z 1 a 9 b 4 d", "1"},
                       {"ZADD z CH 1 a 8 b 5 e", "2"},
                       {"zadd z ch 1 a 2 a 1 a", "2"},
                       {"zadd z 7 f 6 f", "1"},
                       {"zscore z f", "6"},
                       {"zcard z", "6"},
                   });
}

TEST_F(SortedSetWrites, NxAndXxChooseBetweenNewAndPresent) {
  Converse(tester, {{"zadd z nx 9 a 4 d", "1"}, {"zadd z xx 9 a 4 e", "0"}});
  EXPECT_EQ(All(), "[b, 2, c, 3, d, 4, a, 9]");
  Converse(tester, {{"zadd z xx ch 1 a 4 e", "1"},
                    {"zadd no xx 1 a", "0"},
                    {"zadd no xx incr 1 a", "(nil)"},
                    {"zcard no", "0"}});
}

TEST_F(SortedSetWrites, GtAndLtBindThePresentAlone) {
  Converse(tester, {{"zadd z gt ch 0 a 9 b 4 d", "2"}});
  EXPECT_EQ(All(), "[a, 1, c, 3, d, 4, b, 9]");
  Converse(tester, {{"zadd z lt ch 0 a 9 c 5 e", "2"}});
  EXPECT_EQ(All(), "[a, 0, c, 3, d, 4, e, 5, b, 9]");
  Converse(tester, {{"zadd z xx gt ch 9 c 1 f", "1"}, {"zadd z gt ch 9 c", "0"}});
}

TEST_F(SortedSetWrites, IncrTellsTheScoreOrNothing) {
  Converse(tester, {
                       {"zadd z incr 1.5 a", "2.5"},
                       {"zadd z incr 0 a", "2.5"},
                       {"zadd z incr nx 1 a", "(nil)"},
                       {"zadd z incr xx 1 q", "(nil)"},
                       {"zadd z incr gt -1 a", "(nil)"},
                       {"zadd z incr gt 0 a", "(nil)"},
                       {"zadd z incr lt -1 a", "1.5"},
                       {"zadd new incr 1 a", "1"},
                       {"zincrby z 0.5 a", "2"},
                       {"zincrby new2 -1 a", "-1"},
                   });
  EXPECT_EQ(InResp3(tester, "zadd z incr 0.5 a"), ",2.5");
  EXPECT_EQ(InResp3(tester, "zadd z incr nx 1 a"), "_");
}

TEST_F(SortedSetWrites, OptionsThatContradictAreRefused) {
  Refuse(tester, "ERR XX and NX options at the same time are not compatible",
         {"zadd z nx xx 1 a", "zadd z xx gt nx lt 1 a"});
  Refuse(tester, "ERR GT, LT, and/or NX options at the same time are not compatible",
         {"zadd z gt lt 1 a", "zadd z nx gt 1 a", "zadd z lt nx 1 a"});
  Refuse(tester, "ERR INCR option supports a single increment-element pair",
         {"zadd z incr 1 a 2 b"});
  Refuse(tester, kSyntaxError, {"zadd z 1 a 2", "zadd z nx 1", "zadd z nx ch", "zincrby z nx a"});
  Refuse(tester, kNotAFloat,
         {"zadd z x a", "zadd z nan a", "zadd z 1 a y b", "zadd z 1e999 a", "zadd z 1e-400 a",
          "zadd z \" 1\" a", "zadd z \"\" a", "zadd z 1x a", "zadd str x a", "zincrby z x a",
          "zincrby z nan a"});
  EXPECT_EQ(All(), "[a, 1, b, 2, c, 3]");
}

TEST_F(SortedSetWrites, ScoresReachFromInfinityToInfinity) {
  Converse(tester, {{"zadd i inf p -inf m 0x10 h 1e308 l +5 f .5 e", "6"}});
  EXPECT_EQ(All("i"), "[m, -inf, e, 0.5, f, 5, h, 16, l, 1e+308, p, inf]");
  Refuse(tester, "ERR resulting score is not a number (NaN)",
         {"zincrby i -inf p", "zadd i incr inf m"});
  Converse(tester, {{"zincrby i 1 p", "inf"},
                    {"zincrby i inf e", "inf"},
                    {"zadd i 0.1 t", "1"},
                    {"zscore i t", "0.10000000000000001"}});
}

// As in Redis, while it keeps the sorted set in its small form.
TEST_F(SortedSetWrites, MinusZeroIsToldOnceAndStoredAsZero) {
  Converse(tester, {{"zadd n -0 a 0 b", "2"},
                    {"zscore n a", "0"},
                    {"zadd n ch -0.0 b", "0"},
                    {"zadd n incr -0 a", "0"},
                    {"zadd n incr -0 d", "-0"},
                    {"zscore n d", "0"},
                    {"zincrby n -0 e", "-0"},
                    {"zincrby n -0 e", "0"},
                    {"zrem n d e", "2"},
                    {"zadd n 1 c", "1"},
                    {"zincrby n -1 c", "0"},
                    {"zrange n 0 -1", "[a, b, c]"}});
}

TEST_F(SortedSetWrites, RemovalCountsWhatWasThere) {
  Converse(tester, {{"zrem z a q a", "1"},
                    {"zrem no a", "0"},
                    {"zrem z b c", "2"},
                    {"zcard z", "0"},
                    {"ttl z", "-2"}});
}

TEST_F(SortedSetWrites, RangesAreRemovedByRankScoreAndName) {
  tester.Run("zadd l 0 a 0 b 0 c 0 d");
  Converse(tester, {{"zremrangebyrank z 5 9", "0"},
                    {"zremrangebyrank z 2 1", "0"},
                    {"zremrangebyrank z -1 -1", "1"},
                    {"zremrangebyscore z (1 (2", "0"},
                    {"zremrangebyscore z (1 +inf", "1"},
                    {"zremrangebylex l [b (d", "2"},
                    {"zremrangebylex l [x +", "0"}});
  EXPECT_EQ(All(), "[a, 1]");
  EXPECT_EQ(All("l"), "[a, 0, d, 0]");
  Converse(tester, {{"zremrangebyrank z 0 -1", "1"},
                    {"ttl z", "-2"},
                    {"zremrangebyrank no 0 -1", "0"},
                    {"zremrangebyscore no 0 1", "0"},
                    {"zremrangebylex no - +", "0"}});
  Refuse(tester, kNotAnInteger, {"zremrangebyrank z x 1", "zremrangebyrank str 0 1.5"});
  Refuse(tester, "ERR min or max is not a float", {"zremrangebyscore z x 1"});
  Refuse(tester, "ERR min or max not valid string range item", {"zremrangebylex z a +"});
}

TEST_F(SortedSetWrites, AnotherTypeIsRefused) {
  Refuse(tester, kWrongType,
         {"zadd str 1 a", "zincrby str 1 a", "zrem str a", "zremrangebyrank str 0 1",
          "zremrangebyscore str 0 1", "zremrangebylex str - +"});
}

TEST_F(SortedSetWrites, AritiesAreRedis) {
  for (const char* command :
       {"zadd", "zincrby", "zremrangebyrank", "zremrangebyscore", "zremrangebylex"}) {
    EXPECT_EQ(tester.Text(std::string(command) + " z 1"), WrongArityOf(command));
  }
  Refuse(tester, WrongArityOf("zrem"), {"zrem z", "zrem"});
  Refuse(tester, WrongArityOf("zincrby"), {"zincrby z 1 a b"});
}

TEST_F(SortedSetWrites, ChangesAreTold) {
  tester.Run("zadd n 1 a 2 b");
  EXPECT_EQ(tester.notifications(), (Notes{"n new 0 n", "z zadd 0 n"}));
  tester.Run("zadd n 1 a");
  EXPECT_EQ(tester.notifications(), Notes{});
  tester.Run("zadd n 5 a");
  EXPECT_EQ(tester.notifications(), Notes{"z zadd 0 n"});
  tester.Run("zincrby n 1 a");
  EXPECT_EQ(tester.notifications(), Notes{"z zincr 0 n"});
  tester.Run("zrem n q");
  EXPECT_EQ(tester.notifications(), Notes{});
  tester.Run("zrem n a b");
  EXPECT_EQ(tester.notifications(), (Notes{"z zrem 0 n", "g del 0 n"}));
  tester.Run("zremrangebyrank z 0 0");
  EXPECT_EQ(tester.notifications(), Notes{"z zremrangebyrank 0 z"});
  tester.Run("zremrangebyscore z 2 2");
  EXPECT_EQ(tester.notifications(), Notes{"z zremrangebyscore 0 z"});
  tester.Run("zremrangebylex z - +");
  EXPECT_EQ(tester.notifications(), (Notes{"z zremrangebylex 0 z", "g del 0 z"}));
}

TEST_F(SortedSetWrites, WritingKeepsTheDeadlineAndADeadSetBeginsAnew) {
  tester.Run("live z 100");
  tester.clock().Advance(Millis(99));
  Converse(tester, {{"zincrby z 1 a", "2"}, {"ttl z", "1"}, {"zcard z", "3"}});
  tester.clock().Advance(Millis(1));
  Converse(tester, {{"zincrby z 1 a", "1"}, {"ttl z", "-1"}, {"zcard z", "1"}});
  Converse(tester, {{"live z 100", "OK"}});
  tester.clock().Advance(Millis(101));
  Converse(tester, {{"zrem z a", "0"}, {"zadd z xx 1 a", "0"}, {"ttl z", "-2"}});
}

}  // namespace
}  // namespace mayfly::server
