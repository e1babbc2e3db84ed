// Goal: ZRANGE in all its forms, the commands it replaces, and ZRANGESTORE.
// Method: conversations on plain maps; one set of ten thousand is walked from both ends.
#include "conversation.h"

namespace mayfly::server {
namespace {

class SortedSetRanges : public testing::Test {
 protected:
  SortedSetRanges() {
    Converse(tester, {{"zadd z 1 a 2 b 3 c 4 d", "4"},
                      {"zadd l 0 a 0 b 0 c 0 d 0 e", "5"},
                      {"put str x", "OK"}});
  }

  CommandTester tester{{SortedSetFamily(), PlainKeys()}};
};

TEST_F(SortedSetRanges, ByRank) {
  Converse(tester, {{"zrange z 0 -1", "[a, b, c, d]"},
                    {"zrange z 1 2 withscores", "[b, 2, c, 3]"},
                    {"zrange z -2 -1", "[c, d]"},
                    {"zrange z -9 9", "[a, b, c, d]"},
                    {"zrange z 4 9", "[]"},
                    {"zrange z 2 1", "[]"},
                    {"zrange z 0 -9", "[]"},
                    {"zrange z -9223372036854775808 9223372036854775807", "[a, b, c, d]"},
                    {"zrange z 0 1 rev", "[d, c]"},
                    {"zrange z 3 3 REV WITHSCORES", "[a, 1]"},
                    {"zrevrange z 0 1 withscores", "[d, 4, c, 3]"},
                    {"zrevrange z -1 -1", "[a]"},
                    {"zrange no 0 -1", "[]"},
                    {"zrange z 0 -1 limit 0 -1", "[a, b, c, d]"}});
}

TEST_F(SortedSetRanges, ByScore) {
  Converse(tester, {{"zrange z (1 3 byscore", "[b, c]"},
                    {"zrange z 3 (1 byscore rev", "[c, b]"},
                    {"zrange z 1 3 byscore rev", "[]"},
                    {"zrange z -inf +inf byscore limit 1 2", "[b, c]"},
                    {"zrange z -inf +inf byscore limit 1 -1", "[b, c, d]"},
                    {"zrange z -inf +inf byscore limit -1 2", "[]"},
                    {"zrange z -inf +inf byscore limit 0 0", "[]"},
                    {"zrange z -inf +inf byscore limit 9 1", "[]"},
                    {"zrange z +inf -inf byscore rev limit 1 2 withscores", "[c, 3, b, 2]"},
                    {"zrangebyscore z 2 3", "[b, c]"},
                    {"zrangebyscore z (2 +inf withscores limit 0 1", "[c, 3]"},
                    {"zrangebyscore z 3 2", "[]"},
                    {"zrangebyscore no 2 3", "[]"},
                    {"zrevrangebyscore z 3 2", "[c, b]"},
                    {"zrevrangebyscore z +inf -inf limit 1 1", "[c]"},
                    {"zrevrangebyscore z 2 3", "[]"}});
}

TEST_F(SortedSetRanges, ByName) {
  Converse(tester, {{"zrange l - + bylex", "[a, b, c, d, e]"},
                    {"zrange l [b (d bylex", "[b, c]"},
                    {"zrange l (d [b bylex rev", "[c, b]"},
                    {"zrange l + - bylex rev limit 1 2", "[d, c]"},
                    {"zrange l + - bylex", "[]"},
                    {"zrange l (b [b bylex", "[]"},
                    {"zrange l [b [b bylex", "[b]"},
                    {"zrangebylex l - (c", "[a, b]"},
                    {"zrangebylex l - + limit 1 2", "[b, c]"},
                    {"zrangebylex l (a [aa", "[]"},
                    {"zrevrangebylex l + [c", "[e, d, c]"},
                    {"zrevrangebylex l [cc (a limit 0 1", "[c]"},
                    {"zrevrangebylex no + -", "[]"}});
}

TEST_F(SortedSetRanges, ByNameAmongDifferentScoresAsRedisTakesSmallSets) {
  tester.Run("zadd m 1 a 2 c 3 b 4 e 5 d");
  Converse(tester, {{"zrange m - + bylex", "[a, c, b, e, d]"},
                    {"zrange m [b + bylex", "[c, b, e, d]"},
                    {"zrange m [b [c bylex", "[c, b]"},
                    {"zrange m [d [b bylex rev", "[d, e, b, c]"},
                    {"zrange m [dd + bylex", "[]"}});
}

TEST_F(SortedSetRanges, PairsAreNestedInResp3) {
  EXPECT_EQ(InResp3(tester, "zrange z 0 1 withscores"), "*2 *2 $1 a ,1 *2 $1 b ,2");
  EXPECT_EQ(InResp3(tester, "zrevrangebyscore z 2 1 withscores"), "*2 *2 $1 b ,2 *2 $1 a ,1");
  EXPECT_EQ(InResp3(tester, "zrange z 0 0"), "*1 $1 a");
  EXPECT_EQ(InResp3(tester, "zrange no 0 0 withscores"), "*0");
}

TEST_F(SortedSetRanges, OptionsThatDoNotFitAreRefused) {
  Refuse(
      tester,
      "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX",
      {"zrange z 0 -1 limit 0 1", "zrevrange z 0 -1 limit 0 1", "zrangestore d z 0 -1 limit 0 1"});
  Refuse(tester, "ERR syntax error, WITHSCORES not supported in combination with BYLEX",
         {"zrange l - + bylex withscores", "zrangebylex l - + withscores"});
  Refuse(tester, kSyntaxError,
         {"zrange z 0 -1 other", "zrange z 0 1 byscore bylex", "zrange z 0 1 rev rev",
          "zrange z 0 -1 limit 0", "zrevrange z 0 -1 rev", "zrangebyscore z 0 1 byscore",
          "zrangebyscore z 0 1 rev", "zrangestore d z 0 -1 withscores", "zrange str 0 -1 other"});
  Refuse(tester, kNotAnInteger,
         {"zrange z x 1", "zrange z 0 1.5", "zrevrange z a b", "zrange z 0 1 byscore limit x 1",
          "zrange str x 1"});
  Refuse(tester, "ERR min or max is not a float",
         {"zrange z x 1 byscore", "zrangebyscore z 1 x", "zrevrangebyscore z x 1"});
  Refuse(tester, "ERR min or max not valid string range item",
         {"zrange l a b bylex", "zrangebylex l - b", "zrevrangebylex l d -"});
  Refuse(
      tester, kWrongType,
      {"zrange str 0 -1", "zrevrange str 0 -1", "zrangebyscore str 0 1", "zrevrangebyscore str 1 0",
       "zrangebylex str - +", "zrevrangebylex str + -", "zrangestore d str 0 -1"});
}

TEST_F(SortedSetRanges, AritiesAreRedis) {
  for (const char* command : {"zrange", "zrevrange", "zrangebyscore", "zrevrangebyscore",
                              "zrangebylex", "zrevrangebylex", "zrangestore"}) {
    EXPECT_EQ(tester.Text(std::string(command) + " z 0"), WrongArityOf(command));
  }
  Refuse(tester, WrongArityOf("zrangestore"), {"zrangestore d z 0"});
}

TEST_F(SortedSetRanges, ARangeCanBeStored) {
  Converse(tester, {{"zrangestore d z 1 2", "2"},
                    {"zrange d 0 -1 withscores", "[b, 2, c, 3]"},
                    {"zrangestore d z 3 (1 byscore rev limit 0 1", "1"},
                    {"zrange d 0 -1 withscores", "[c, 3]"},
                    {"zrangestore d l [b [c bylex", "2"},
                    {"live str 1000", "OK"},
                    {"zrangestore str z 0 -1", "4"},
                    {"ttl str", "-1"},
                    {"zrangestore z z 0 0", "1"},
                    {"zrange z 0 -1", "[a]"},
                    {"zrangestore z z 5 9", "0"},
                    {"ttl z", "-2"},
                    {"zrangestore d no 0 -1", "0"},
                    {"ttl d", "-2"}});
}

TEST_F(SortedSetRanges, StoresAreTold) {
  tester.Run("zrangestore d z 0 0");
  EXPECT_EQ(tester.notifications(), (Notes{"n new 0 d", "z zrangestore 0 d"}));
  tester.Run("zrangestore d z 0 1");
  EXPECT_EQ(tester.notifications(), Notes{"z zrangestore 0 d"});
  tester.Run("zrangestore d z 9 9");
  EXPECT_EQ(tester.notifications(), Notes{"g del 0 d"});
}

TEST_F(SortedSetRanges, TenThousandMembersAreWalkedFromTheNearerEnd) {
  constexpr int kMembers = 10'000;
  std::vector<std::string> add = {"zadd", "big"};
  for (int i = 0; i < kMembers; ++i) {
    add.push_back(std::to_string((i * 7919) % kMembers));  // Each score once, in no order.
    add.push_back("m" + std::to_string((i * 7919) % kMembers));
  }
  ASSERT_EQ(tester.RunArgs(add), Reply::Integer(kMembers));
  Converse(tester, {{"zrank big m9998", "9998"},
                    {"zrank big m1", "1"},
                    {"zrank big m5000", "5000"},
                    {"zrange big 9998 -1", "[m9998, m9999]"},
                    {"zrange big 4999 5000", "[m4999, m5000]"},
                    {"zrange big 2 3 rev", "[m9997, m9996]"},
                    {"zcount big 1000 (2000", "1000"},
                    {"zremrangebyscore big 10 9989", "9980"},
                    {"zrange big 9 10", "[m9, m9990]"},
                    {"zcard big", "20"}});
}

}  // namespace
}  // namespace mayfly::server
