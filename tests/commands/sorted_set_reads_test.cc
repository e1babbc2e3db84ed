// Goal: reads of sorted sets: scores, ranks, counts, and random members.
// Method: conversations on plain maps.
#include <set>

#include "conversation.h"

namespace mayfly::server {
namespace {

class SortedSetReads : public testing::Test {
 protected:
  SortedSetReads() {
    Converse(tester, {{"zadd z 1 a 2 b 2 c 3.5 d", "4"},
                      {"zadd l 0 a 0 b 0 c 0 d 0 e", "5"},
                      {"put str x", "OK"}});
  }

  CommandTester tester{{SortedSetFamily(), PlainKeys()}};
};

TEST_F(SortedSetReads, ScoresAndSizes) {
  Converse(tester, {{"zcard z", "4"},
                    {"zcard no", "0"},
                    {"zscore z d", "3.5"},
                    {"zscore z q", "(nil)"},
                    {"zscore no a", "(nil)"},
                    {"zmscore z a q d", "[1, (nil), 3.5]"},
                    {"zmscore no a b", "[(nil), (nil)]"}});
  EXPECT_EQ(InResp3(tester, "zscore z d"), ",3.5");
  EXPECT_EQ(InResp3(tester, "zmscore z a q"), "*2 ,1 _");
}

TEST_F(SortedSetReads, RanksCountFromEitherEnd) {
  Converse(tester, {{"zrank z a", "0"},
                    {"zrank z c", "2"},
                    {"zrank z d", "3"},
                    {"zrevrank z a", "3"},
                    {"zrevrank z d", "0"},
                    {"zrank z q", "(nil)"},
                    {"zrank no a", "(nil)"},
                    {"zrevrank no a", "(nil)"},
                    {"zrank z d withscore", "[3, 3.5]"},
                    {"zrevrank z d WITHSCORE", "[0, 3.5]"},
                    {"zrank z q withscore", "(nil array)"},
                    {"zrank z a other", kSyntaxError},
                    {"zrank z a withscore x", WrongArityOf("zrank")},
                    {"zrevrank z a withscore x", WrongArityOf("zrevrank")}});
  EXPECT_EQ(InResp3(tester, "zrank z d withscore"), "*2 :3 ,3.5");
  EXPECT_EQ(InResp3(tester, "zrank z q withscore"), "_");
}

TEST_F(SortedSetReads, ScoresAreCounted) {
  Converse(tester, {{"zcount z 1 2", "3"},
                    {"zcount z (1 2", "2"},
                    {"zcount z 1 (2", "1"},
                    {"zcount z (2 (2", "0"},
                    {"zcount z 2 2", "2"},
                    {"zcount z -inf +inf", "4"},
                    {"zcount z 3 1", "0"},
                    {"zcount z \"\" 1", "1"},
                    {"zcount z ( 1", "1"},
                    {"zcount z \" 1\" 2", "3"},
                    {"zcount z -1e999 1e999", "4"},
                    {"zcount no 1 2", "0"},
                    {"zadd i -inf m inf p", "2"},
                    {"zcount i -inf inf", "2"},
                    {"zcount i (-inf (inf", "0"},
                    {"zcount i inf inf", "1"},
                    {"zcount i (inf inf", "0"}});
  Refuse(tester, "ERR min or max is not a float",
         {"zcount z x 1", "zcount z 1 (x", "zcount z nan 1", "zcount z [1 2", "zcount str x 1"});
}

TEST_F(SortedSetReads, NamesAreCounted) {
  Converse(tester, {{"zlexcount l - +", "5"},
                    {"zlexcount l [b (d", "2"},
                    {"zlexcount l (b [d", "2"},
                    {"zlexcount l + -", "0"},
                    {"zlexcount l - -", "0"},
                    {"zlexcount l [bb [cc", "1"},
                    {"zlexcount l [ [b", "2"},
                    {"zlexcount l [d [b", "0"},
                    {"zlexcount l [z +", "0"},
                    {"zlexcount no - +", "0"}});
  Refuse(tester, "ERR min or max not valid string range item",
         {"zlexcount l b [d", "zlexcount l [b d", "zlexcount l -a +", "zlexcount l \"\" +",
          "zlexcount str b d"});
}

TEST_F(SortedSetReads, AnotherTypeIsRefused) {
  Refuse(tester, kWrongType,
         {"zcard str", "zscore str a", "zmscore str a", "zrank str a", "zrevrank str a",
          "zcount str 1 2", "zlexcount str - +", "zrandmember str", "zrandmember str 1"});
}

TEST_F(SortedSetReads, AritiesAreRedis) {
  for (const char* command : {"zscore", "zmscore", "zrank", "zrevrank", "zcount", "zlexcount"}) {
    EXPECT_EQ(tester.Text(std::string(command) + " z"), WrongArityOf(command));
  }
  Refuse(tester, WrongArityOf("zcard"), {"zcard", "zcard z y"});
  Refuse(tester, WrongArityOf("zscore"), {"zscore z a b"});
  Refuse(tester, WrongArityOf("zrandmember"), {"zrandmember"});
}

TEST_F(SortedSetReads, MembersByChance) {
  Converse(tester, {{"zadd one 2.5 a", "1"},
                    {"zrandmember one", "a"},
                    {"zrandmember one 5", "[a]"},
                    {"zrandmember one -2", "[a, a]"},
                    {"zrandmember one 5 withscores", "[a, 2.5]"},
                    {"zrandmember one -2 WITHSCORES", "[a, 2.5, a, 2.5]"},
                    {"zrandmember one 0", "[]"},
                    {"zrandmember no", "(nil)"},
                    {"zrandmember no 3", "[]"},
                    {"zrandmember one x", kNotAnInteger},
                    {"zrandmember one x other", kNotAnInteger},
                    {"zrandmember one 1 other", kSyntaxError},
                    {"zrandmember one 1 withscores other", kSyntaxError},
                    {"zrandmember one 9223372036854775807 withscores", "ERR value is out of range"},
                    {"zrandmember one 9223372036854775807", "[a]"},
                    {"zrandmember one -9223372036854775808",
                     "ERR value is out of range, value must between -9223372036854775807 and "
                     "9223372036854775807"}});
  EXPECT_EQ(InResp3(tester, "zrandmember one 1 withscores"), "*1 *2 $1 a ,2.5");
  EXPECT_EQ(InResp3(tester, "zrandmember one 1"), "*1 $1 a");
  const auto drawn = TextsOf(tester, "zrandmember z 3");
  EXPECT_EQ(std::set<std::string>(drawn.begin(), drawn.end()).size(), 3u);
}

TEST_F(SortedSetReads, MissesAreTold) {
  for (const char* line : {"zcard no", "zscore no a", "zrank no a", "zcount no 1 2",
                           "zrandmember no", "zscan no 0", "zrange no 0 -1"}) {
    tester.Run(line);
    EXPECT_EQ(tester.notifications(), Notes{"m keymiss 0 no"}) << line;
  }
}

TEST_F(SortedSetReads, TheDeadIsNotThere) {
  tester.Run("live z 100");
  tester.clock().Advance(Millis(99));
  Converse(tester, {{"zscore z a", "1"}, {"zrank z b", "1"}, {"zcount z 1 2", "3"}});
  tester.clock().Advance(Millis(1));
  Converse(tester, {{"zscore z a", "(nil)"}, {"zrank z b", "(nil)"}, {"zcount z 1 2", "0"}});
  tester.clock().Advance(Millis(1));
  Converse(tester, {{"zcard z", "0"}, {"zrandmember z", "(nil)"}, {"zscan z 0", "[0, []]"}});
}

}  // namespace
}  // namespace mayfly::server
