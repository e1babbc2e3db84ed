// Goal: commands on single members of sets: replies, errors, notifications, and the key's deletion.
// Method: conversations on plain maps, with a manual clock.
#include "conversation.h"

namespace mayfly::server {
namespace {

class SetCommands : public testing::Test {
 protected:
  CommandTester tester{{SetFamily(), PlainKeys()}};
};

TEST_F(SetCommands, MembersComeAndGo) {
  Converse(tester, {
                       {"sadd s a b a", "2"},
                       {"SADD s b c \"\"", "2"},
                       {"scard s", "4"},
                       {"sismember s a", "1"},
                       {"sismember s \"\"", "1"},
                       {"sismember s q", "0"},
                       {"smismember s a q c", "[1, 0, 1]"},
                       {"srem s a a q", "1"},
                       {"scard s", "3"},
                       {"srem s b c \"\"", "3"},
                       {"scard s", "0"},
                       {"smembers s", "[]"},
                   });
}

TEST_F(SetCommands, AMissingKeyIsAnEmptySet) {
  Converse(tester, {
                       {"scard no", "0"},
                       {"sismember no a", "0"},
                       {"smismember no a b", "[0, 0]"},
                       {"smembers no", "[]"},
                       {"srem no a", "0"},
                       {"smove no s a", "0"},
                       {"sscan no 0", "[0, []]"},
                   });
}

TEST_F(SetCommands, AnotherTypeIsRefusedAndLeftAlone) {
  Converse(tester, {{"put str x", "OK"}, {"sadd s a", "1"}});
  Refuse(tester, kWrongType,
         {"sadd str a", "srem str a", "scard str", "sismember str a", "smismember str a",
          "smembers str", "smove str s a", "smove s str a", "sscan str 0", "spop str", "spop str 1",
          "srandmember str", "srandmember str 1"});
  Converse(tester, {{"smembers s", "[a]"}, {"smove no str a", "0"}});
}

TEST_F(SetCommands, AritiesAreRedis) {
  for (const char* command : {"sadd", "srem", "smismember", "sscan", "sintercard", "sdiffstore",
                              "sinterstore", "sunionstore"}) {
    EXPECT_EQ(tester.Text(std::string(command) + " s"), WrongArityOf(command));
  }
  for (const char* command :
       {"scard", "smembers", "spop", "srandmember", "sdiff", "sinter", "sunion"}) {
    EXPECT_EQ(tester.Text(command), WrongArityOf(command));
  }
  Converse(tester, {{"scard s t", WrongArityOf("scard")},
                    {"sismember s", WrongArityOf("sismember")},
                    {"sismember s a b", WrongArityOf("sismember")},
                    {"smembers s t", WrongArityOf("smembers")},
                    {"smove s t", WrongArityOf("smove")},
                    {"smove s t a b", WrongArityOf("smove")}});
}

TEST_F(SetCommands, AMemberMovesOnce) {
  Converse(tester, {
                       {"sadd s a b", "2"},
                       {"sadd t b", "1"},
                       {"smove s t q", "0"},
                       {"smove s t a", "1"},
                       {"smove s t b", "1"},
                       {"scard s", "0"},
                       {"scard t", "2"},
                       {"smove t t a", "1"},
                       {"smove t t q", "0"},
                       {"scard t", "2"},
                   });
}

TEST_F(SetCommands, ArraysAreSetsInResp3WhereOrderMeansNothing) {
  tester.Run("sadd s a");
  EXPECT_EQ(InResp3(tester, "smembers s"), "~1 $1 a");
  EXPECT_EQ(InResp3(tester, "smembers no"), "~0");
  EXPECT_EQ(InResp3(tester, "smismember s a"), "*1 :1");
  EXPECT_EQ(InResp3(tester, "sscan s 0"), "*2 $1 0 *1 $1 a");
}

TEST_F(SetCommands, ChangesAreTold) {
  tester.Run("sadd s a b");
  EXPECT_EQ(tester.notifications(), (Notes{"n new 0 s", "s sadd 0 s"}));
  tester.Run("sadd s a");
  EXPECT_EQ(tester.notifications(), Notes{});
  tester.Run("sadd s c");
  EXPECT_EQ(tester.notifications(), Notes{"s sadd 0 s"});
  tester.Run("srem s q");
  EXPECT_EQ(tester.notifications(), Notes{});
  tester.Run("srem s b c");
  EXPECT_EQ(tester.notifications(), Notes{"s srem 0 s"});
  tester.Run("smove s t a");
  EXPECT_EQ(tester.notifications(), (Notes{"s srem 0 s", "g del 0 s", "n new 0 t", "s sadd 0 t"}));
  tester.Run("smove t t a");
  EXPECT_EQ(tester.notifications(), Notes{});
  tester.Run("srem t a");
  EXPECT_EQ(tester.notifications(), (Notes{"s srem 0 t", "g del 0 t"}));
  tester.Run("scard t");
  EXPECT_EQ(tester.notifications(), Notes{"m keymiss 0 t"});
}

TEST_F(SetCommands, ASetDiesAsAWholeAndAnotherBegins) {
  Converse(tester, {{"sadd s a b", "2"}, {"live s 100", "OK"}});
  tester.clock().Advance(Millis(99));
  Converse(tester, {{"sadd s c", "1"}, {"scard s", "3"}, {"ttl s", "1"}});
  tester.clock().Advance(Millis(1));
  Converse(tester, {{"scard s", "0"}, {"sismember s a", "0"}, {"srem s a", "0"}});
  tester.clock().Advance(Millis(1));
  Converse(tester, {{"sadd s a", "1"}, {"smembers s", "[a]"}, {"ttl s", "-1"}});
}

TEST_F(SetCommands, DatabasesAreApart) {
  tester.Run("sadd s a");
  tester.SelectDatabase(1);
  Converse(tester, {{"scard s", "0"}, {"sadd s b c", "2"}});
  EXPECT_EQ(tester.notifications(), (Notes{"n new 1 s", "s sadd 1 s"}));
}

}  // namespace
}  // namespace mayfly::server
