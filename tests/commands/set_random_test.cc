// SPOP and SRANDMEMBER: how many, how different, how evenly.
// Method: conversations on plain maps; draws are counted.
#include <map>
#include <set>

#include "conversation.h"

namespace mayfly::server {
namespace {

class RandomMembersOfSets : public testing::Test {
 protected:
  CommandTester tester{{SetFamily(), PlainKeys()}};
};

TEST_F(RandomMembersOfSets, CountsAndErrorsAreRedis) {
  Converse(tester, {
                       {"spop no", "(nil)"},
                       {"spop no 3", "[]"},
                       {"srandmember no", "(nil)"},
                       {"srandmember no 3", "[]"},
                       {"srandmember no -3", "[]"},
                       {"sadd s a", "1"},
                       {"srandmember s", "a"},
                       {"srandmember s 3", "[a]"},
                       {"srandmember s -3", "[a, a, a]"},
                       {"srandmember s 0", "[]"},
                       {"srandmember s x", kNotAnInteger},
                       {"srandmember s 1 2", kSyntaxError},
                       {"srandmember s -9223372036854775808",
                        "ERR value is out of range, value must between -9223372036854775807 and "
                        "9223372036854775807"},
                       {"srandmember s -16777217", "ERR value is out of range"},
                       {"spop s 0", "[]"},
                       {"spop s -1", "ERR value is out of range, must be positive"},
                       {"spop s x", "ERR value is out of range, must be positive"},
                       {"spop s 1 2", kSyntaxError},
                       {"scard s", "1"},
                       {"spop s", "a"},
                       {"scard s", "0"},
                   });
}

TEST_F(RandomMembersOfSets, WhatIsPoppedIsGone) {
  tester.Run("sadd s a b c d e");
  const auto popped = TextsOf(tester, "spop s 3");
  EXPECT_EQ(std::set<std::string>(popped.begin(), popped.end()).size(), 3u);
  for (const std::string& name : popped) {
    EXPECT_EQ(tester.Text("sismember s " + name), "0");
  }
  EXPECT_EQ(tester.Text("scard s"), "2");
  EXPECT_EQ(TextsOf(tester, "spop s 100").size(), 2u);
  EXPECT_EQ(tester.Text("scard s"), "0");
}

TEST_F(RandomMembersOfSets, PopsAreTold) {
  tester.Run("sadd s a b c");
  tester.Run("spop s");
  EXPECT_EQ(tester.notifications(), Notes{"s spop 0 s"});
  tester.Run("spop s 0");
  EXPECT_EQ(tester.notifications(), Notes{});
  tester.Run("spop s 2");
  EXPECT_EQ(tester.notifications(), (Notes{"s spop 0 s", "g del 0 s"}));
  tester.Run("srandmember s");
  EXPECT_EQ(tester.notifications(), Notes{"m keymiss 0 s"});
}

TEST_F(RandomMembersOfSets, PopsAreSetsInResp3AndDrawsAreArrays) {
  tester.Run("sadd s a");
  EXPECT_EQ(InResp3(tester, "srandmember s 1"), "*1 $1 a");
  EXPECT_EQ(InResp3(tester, "srandmember no"), "_");
  EXPECT_EQ(InResp3(tester, "spop s 1"), "~1 $1 a");
  EXPECT_EQ(InResp3(tester, "spop s 1"), "~0");
}

TEST_F(RandomMembersOfSets, DistinctDrawsAreDistinctAndAllTakeTheirTurn) {
  tester.Run("sadd s a b c d e f g h");
  std::map<std::string, int> drawn;
  for (int i = 0; i < 400; ++i) {
    const auto names = TextsOf(tester, "srandmember s 4");
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 4u);
    for (const std::string& name : names) ++drawn[name];
  }
  ASSERT_EQ(drawn.size(), 8u);
  for (const auto& [name, times] : drawn) {
    EXPECT_GT(times, 140) << name;  // 200 on average; the tester's seed is fixed.
    EXPECT_LT(times, 260) << name;
  }
}

TEST_F(RandomMembersOfSets, ThousandsOfMembersCanBeDrawnFromAndPopped) {
  std::vector<std::string> add = {"sadd", "s"};
  for (int i = 0; i < 10'000; ++i) add.push_back(std::to_string(i));
  tester.RunArgs(add);
  const auto few = TextsOf(tester, "srandmember s 100");
  EXPECT_EQ(std::set<std::string>(few.begin(), few.end()).size(), 100u);
  EXPECT_EQ(TextsOf(tester, "srandmember s -300").size(), 300u);
  const auto popped = TextsOf(tester, "spop s 50");
  EXPECT_EQ(std::set<std::string>(popped.begin(), popped.end()).size(), 50u);
  EXPECT_EQ(tester.Text("scard s"), "9950");
}

}  // namespace
}  // namespace mayfly::server
