// Goal: unions, intersections and differences of sets, replied, counted and stored.
// Method: conversations on plain maps; sets are compared without regard to order.
#include <algorithm>

#include "conversation.h"

namespace mayfly::server {
namespace {

class SetAlgebraCommands : public testing::Test {
 protected:
  SetAlgebraCommands() {
    Converse(
        tester,
        {{"sadd a 1 2 3 4", "4"}, {"sadd b 3 4 5", "3"}, {"sadd c 4", "1"}, {"put str x", "OK"}});
  }

  // The members in their own order, in one text.
  std::string Sorted(const std::string& line) {
    std::vector<std::string> texts = TextsOf(tester, line);
    std::sort(texts.begin(), texts.end());
    std::string all;
    for (const std::string& text : texts) all += text;
    return all;
  }

  CommandTester tester{{SetFamily(), SortedSetFamily(), PlainKeys()}};
};

TEST_F(SetAlgebraCommands, TellWhatSetsHave) {
  EXPECT_EQ(Sorted("sinter a b"), "34");
  EXPECT_EQ(Sorted("sinter a b c"), "4");
  EXPECT_EQ(Sorted("sinter a"), "1234");
  EXPECT_EQ(Sorted("sinter a a"), "1234");
  EXPECT_EQ(Sorted("sinter a no"), "");
  EXPECT_EQ(Sorted("sunion a b c"), "12345");
  EXPECT_EQ(Sorted("sunion a a no"), "1234");
  EXPECT_EQ(Sorted("sunion no"), "");
  EXPECT_EQ(Sorted("sdiff a b"), "12");
  EXPECT_EQ(Sorted("sdiff b a c"), "5");
  EXPECT_EQ(Sorted("sdiff a no"), "1234");
  EXPECT_EQ(Sorted("sdiff no a"), "");
  EXPECT_EQ(Sorted("sdiff a a"), "");
}

TEST_F(SetAlgebraCommands, AnotherTypeIsRefusedEvenBesideAMissingKey) {
  tester.Run("zadd z 1 a");
  Refuse(tester, kWrongType,
         {"sinter a str", "sinter no str", "sunion no str", "sdiff no str", "sinterstore d a str",
          "sunionstore d str", "sdiffstore d a str", "sintercard 2 a str", "sinter a z"});
  EXPECT_EQ(tester.Text("scard d"), "0");
}

TEST_F(SetAlgebraCommands, StoreInPlaceOfWhateverWasThere) {
  Converse(tester, {{"live b 1000", "OK"},
                    {"sinterstore d a b", "2"},
                    {"scard d", "2"},
                    {"sunionstore str a c", "4"},
                    {"scard str", "4"},
                    {"sdiffstore b a b", "2"},
                    {"ttl b", "-1"}});
  EXPECT_EQ(Sorted("smembers b"), "12");
}

TEST_F(SetAlgebraCommands, NothingStoredDeletesTheTarget) {
  Converse(tester, {{"sinterstore a a no", "0"}, {"ttl a", "-2"}});
  EXPECT_EQ(tester.notifications(), Notes{"m keymiss 0 a"});
  tester.Run("sdiffstore str c b");
  EXPECT_EQ(tester.notifications(), Notes{"g del 0 str"});
  tester.Run("sunionstore str no");
  EXPECT_EQ(tester.notifications(), Notes{"m keymiss 0 no"});
}

TEST_F(SetAlgebraCommands, StoresAreTold) {
  tester.Run("sinterstore d a b");
  EXPECT_EQ(tester.notifications(), (Notes{"n new 0 d", "s sinterstore 0 d"}));
  tester.Run("sunionstore d a b");
  EXPECT_EQ(tester.notifications(), Notes{"s sunionstore 0 d"});
  tester.Run("sdiffstore d a b");
  EXPECT_EQ(tester.notifications(), Notes{"s sdiffstore 0 d"});
}

TEST_F(SetAlgebraCommands, IntersectionsAreCountedUpToALimit) {
  Converse(tester, {{"sintercard 2 a b", "2"},
                    {"sintercard 2 a b limit 1", "1"},
                    {"sintercard 2 a b LIMIT 0", "2"},
                    {"sintercard 2 a b limit 9", "2"},
                    {"sintercard 1 a limit 1 limit 3", "3"},
                    {"sintercard 2 a no", "0"}});
  Refuse(tester, "ERR numkeys should be greater than 0",
         {"sintercard 0 a", "sintercard x a", "sintercard -1 a"});
  Refuse(tester, "ERR Number of keys can't be greater than number of args",
         {"sintercard 3 a b", "sintercard 9223372036854775807 a"});
  Refuse(tester, "ERR LIMIT can't be negative",
         {"sintercard 1 a limit -1", "sintercard 1 a limit x"});
  Refuse(tester, kSyntaxError,
         {"sintercard 1 a limit", "sintercard 1 a other 1", "sintercard 1 a b"});
}

TEST_F(SetAlgebraCommands, RepliesAreSetsInResp3) {
  EXPECT_EQ(InResp3(tester, "sinter a c"), "~1 $1 4");
  EXPECT_EQ(InResp3(tester, "sdiff c a"), "~0");
  EXPECT_EQ(InResp3(tester, "sunion c"), "~1 $1 4");
}

TEST_F(SetAlgebraCommands, TheDeadTakeNoPart) {
  tester.Run("live b 100");
  tester.clock().Advance(Millis(99));
  EXPECT_EQ(Sorted("sinter a b"), "34");
  tester.clock().Advance(Millis(1));
  EXPECT_EQ(Sorted("sinter a b"), "");
  EXPECT_EQ(Sorted("sdiff a b"), "1234");
  tester.clock().Advance(Millis(1));
  EXPECT_EQ(Sorted("sunion a b"), "1234");
}

}  // namespace
}  // namespace mayfly::server
