// List commands on the ends: pushes, pops, moves; replies, errors, notifications.
// Method: commands on plain maps; expected texts are what Redis 7.0 answers.
#include <gtest/gtest.h>

#include "server/commands/support/families.h"
#include "server/testing/command_tester.h"

namespace mayfly::server {
namespace {

using Events = std::vector<std::string>;

constexpr const char* kNoList = "WRONGTYPE Operation against a key holding the wrong kind of value";

class ListEnds : public testing::Test {
 protected:
  std::string Text(const std::string& line) { return tester_.Text(line); }
  const Events& events() { return tester_.notifications(); }

  CommandTester tester_{{HashFamily(), ListFamily()}};
};

TEST_F(ListEnds, PushesTellTheLength) {
  EXPECT_EQ(Text("rpush l c d"), "2");
  EXPECT_EQ(events(), (Events{"n new 0 l", "l rpush 0 l"}));
  EXPECT_EQ(Text("lpush l b a"), "4");
  EXPECT_EQ(events(), (Events{"l lpush 0 l"}));
  EXPECT_EQ(Text("lrange l 0 -1"), "[a, b, c, d]");
  EXPECT_EQ(Text("llen l"), "4");
  EXPECT_EQ(Text("lpush h2 z y x"), "3");
  EXPECT_EQ(Text("lrange h2 0 -1"), "[x, y, z]");
}

TEST_F(ListEnds, PushesWithXNeedAList) {
  EXPECT_EQ(Text("lpushx l a"), "0");
  EXPECT_EQ(Text("rpushx l a"), "0");
  EXPECT_EQ(events(), Events{});
  EXPECT_EQ(Text("llen l"), "0");
  Text("rpush l b");
  EXPECT_EQ(Text("lpushx l a A"), "3");
  EXPECT_EQ(events(), (Events{"l lpush 0 l"}));
  EXPECT_EQ(Text("rpushx l c d"), "5");
  EXPECT_EQ(events(), (Events{"l rpush 0 l"}));
  EXPECT_EQ(Text("lrange l 0 -1"), "[A, a, b, c, d]");
}

TEST_F(ListEnds, PopsTakeOneOrSome) {
  Text("rpush l a b c d e f");
  EXPECT_EQ(Text("lpop l"), "a");
  EXPECT_EQ(events(), (Events{"l lpop 0 l"}));
  EXPECT_EQ(Text("rpop l"), "f");
  EXPECT_EQ(events(), (Events{"l rpop 0 l"}));
  EXPECT_EQ(Text("lpop l 2"), "[b, c]");
  EXPECT_EQ(Text("rpop l 1"), "[e]");
  EXPECT_EQ(Text("lpop l 0"), "[]");
  EXPECT_EQ(events(), Events{});
  EXPECT_EQ(Text("rpop l 10"), "[d]");
  EXPECT_EQ(events(), (Events{"l rpop 0 l", "g del 0 l"}));
}

TEST_F(ListEnds, PopsOfNothing) {
  EXPECT_EQ(Text("lpop none"), "(nil)");
  EXPECT_EQ(Text("rpop none"), "(nil)");
  EXPECT_EQ(Text("lpop none 1"), "(nil array)");
  EXPECT_EQ(Text("rpop none 0"), "(nil array)");
  EXPECT_EQ(Text("lmpop 2 none other left"), "(nil array)");
  EXPECT_EQ(Text("llen none"), "0");
  EXPECT_EQ(events(), (Events{"m keymiss 0 none"}));
  tester_.UseProtocol(ProtocolVersion::kResp3);
  EXPECT_EQ(tester_.Run("lpop none 1").kind, Reply::Kind::kNull);
  EXPECT_EQ(tester_.Run("lmpop 1 none left").kind, Reply::Kind::kNull);
}

TEST_F(ListEnds, CountsAreChecked) {
  Text("rpush l a");
  for (const char* line : {"lpop l -1", "rpop l -1", "lpop l x", "lpop h -1"}) {
    EXPECT_EQ(Text(line), "ERR value is out of range, must be positive") << line;
  }
  EXPECT_EQ(Text("lpop l 1 2"), "ERR wrong number of arguments for 'lpop' command");
  EXPECT_EQ(Text("rpop l 1 2"), "ERR wrong number of arguments for 'rpop' command");
  EXPECT_EQ(Text("llen l"), "1");
}

TEST_F(ListEnds, LMoveGoesFromAnyEndToAnyEnd) {
  Text("rpush from 1 2 3 4");
  EXPECT_EQ(Text("lmove from to left right"), "1");
  EXPECT_EQ(events(), (Events{"n new 0 to", "l rpush 0 to", "l lpop 0 from"}));
  EXPECT_EQ(Text("lmove from to RIGHT LEFT"), "4");
  EXPECT_EQ(events(), (Events{"l lpush 0 to", "l rpop 0 from"}));
  EXPECT_EQ(Text("lmove from to left left"), "2");
  EXPECT_EQ(Text("rpoplpush from to"), "3");
  EXPECT_EQ(events(), (Events{"l lpush 0 to", "l rpop 0 from", "g del 0 from"}));
  EXPECT_EQ(Text("lrange to 0 -1"), "[3, 2, 4, 1]");
  EXPECT_EQ(Text("lmove from to left left"), "(nil)");
  EXPECT_EQ(Text("rpoplpush from to"), "(nil)");
  EXPECT_EQ(events(), Events{});
}

TEST_F(ListEnds, AListTurnsInItself) {
  Text("rpush l a b c");
  EXPECT_EQ(Text("lmove l l left right"), "a");
  EXPECT_EQ(events(), (Events{"l rpush 0 l", "l lpop 0 l"}));
  EXPECT_EQ(Text("lrange l 0 -1"), "[b, c, a]");
  EXPECT_EQ(Text("rpoplpush l l"), "a");
  EXPECT_EQ(Text("lmove l l left left"), "a");
  EXPECT_EQ(Text("lmove l l right right"), "c");
  EXPECT_EQ(Text("lrange l 0 -1"), "[a, b, c]");
  Text("rpush one x");
  EXPECT_EQ(Text("rpoplpush one one"), "x");
  EXPECT_EQ(events(), (Events{"l lpush 0 one", "l rpop 0 one"}));
  EXPECT_EQ(Text("lrange one 0 -1"), "[x]");
}

TEST_F(ListEnds, MovesAreChecked) {
  Text("rpush l a");
  Text("hset h f v");
  EXPECT_EQ(Text("lmove l l up left"), "ERR syntax error");
  EXPECT_EQ(Text("lmove l l left up"), "ERR syntax error");
  EXPECT_EQ(Text("lmove l h left left"), kNoList);
  EXPECT_EQ(Text("rpoplpush l h"), kNoList);
  EXPECT_EQ(Text("lmove h l left left"), kNoList);
  EXPECT_EQ(Text("lmove none h left left"), "(nil)");
  EXPECT_EQ(Text("lrange l 0 -1"), "[a]");
}

TEST_F(ListEnds, LMPopTakesFromTheFirstThatHasSomething) {
  Text("rpush a 1 2 3");
  Text("rpush b 4");
  EXPECT_EQ(Text("lmpop 3 none a b left"), "[a, [1]]");
  EXPECT_EQ(events(), (Events{"l lpop 0 a"}));
  EXPECT_EQ(Text("LMPOP 2 a b RIGHT COUNT 5"), "[a, [3, 2]]");
  EXPECT_EQ(events(), (Events{"l rpop 0 a", "g del 0 a"}));
  EXPECT_EQ(Text("lmpop 2 a b left count 1"), "[b, [4]]");
}

TEST_F(ListEnds, LMPopIsChecked) {
  Text("rpush l a");
  Text("hset h f v");
  for (const char* line : {"lmpop 0 l left", "lmpop -1 l left", "lmpop x l left"}) {
    EXPECT_EQ(Text(line), "ERR numkeys should be greater than 0");
  }
  for (const char* line :
       {"lmpop 2 l left", "lmpop 1 l up", "lmpop 1 l left count", "lmpop 1 l left foo 1",
        "lmpop 1 l left count 1 count 1", "lmpop 1 l left right", "lmpop 99999999999 l left"}) {
    EXPECT_EQ(Text(line), "ERR syntax error") << line;
  }
  for (const char* line :
       {"lmpop 1 l left count 0", "lmpop 1 l left count -1", "lmpop 1 l left count x"}) {
    EXPECT_EQ(Text(line), "ERR count should be greater than 0");
  }
  EXPECT_EQ(Text("lmpop 2 none h left"), kNoList);
  EXPECT_EQ(Text("lmpop 2 l h left"), "[l, [a]]");
}

TEST_F(ListEnds, AnotherTypeIsRefusedByAllOfThem) {
  Text("hset h f v");
  for (const char* line : {"lpush h a",
                           "rpush h a",
                           "lpushx h a",
                           "rpushx h a",
                           "lpop h",
                           "rpop h",
                           "lpop h 1",
                           "llen h",
                           "lindex h 0",
                           "lset h 0 a",
                           "lrange h 0 1",
                           "ltrim h 0 1",
                           "lrem h 0 a",
                           "linsert h before a b",
                           "lpos h a",
                           "lmove h l left left",
                           "rpoplpush h l",
                           "lmpop 1 h left",
                           "blpop h 1",
                           "brpop h 1",
                           "blmove h l left left 1",
                           "brpoplpush h l 1",
                           "blmpop 1 1 h left"}) {
    EXPECT_EQ(Text(line), kNoList) << line;
    EXPECT_EQ(events(), Events{}) << line;
  }
  EXPECT_EQ(Text("hget h f"), "v");
}

TEST_F(ListEnds, ArityIsChecked) {
  for (const char* line : {"lpush l",
                           "rpush l",
                           "lpushx l",
                           "rpushx l",
                           "lpop",
                           "rpop",
                           "llen",
                           "llen l a",
                           "lindex l",
                           "lset l 0",
                           "lrange l 0",
                           "ltrim l 0",
                           "lrem l 0",
                           "linsert l before a",
                           "lpos l",
                           "lmove l l left",
                           "rpoplpush l",
                           "lmpop 1 l",
                           "blpop l",
                           "brpop l",
                           "blmove l l left left",
                           "brpoplpush l l",
                           "blmpop 1 1 l"}) {
    const std::string name = std::string(line).substr(0, std::string(line).find(' '));
    EXPECT_EQ(Text(line), "ERR wrong number of arguments for '" + name + "' command");
  }
}

TEST_F(ListEnds, TenThousandValues) {
  std::vector<std::string> args{"rpush", "l"};
  for (int i = 0; i < 10'000; ++i) args.push_back(std::to_string(i));
  EXPECT_EQ(tester_.RunArgs(args).integer(), 10'000);
  EXPECT_EQ(Text("lindex l 5000"), "5000");
  EXPECT_EQ(Text("lindex l -1"), "9999");
  EXPECT_EQ(Text("linsert l before 5000 middle"), "10001");
  EXPECT_EQ(Text("lpos l middle"), "5000");
  EXPECT_EQ(Text("lrem l 0 middle"), "1");
  EXPECT_EQ(tester_.Run("lrange l 100 8099").items().size(), 8000u);
  EXPECT_EQ(tester_.Run("rpop l 4000").items().size(), 4000u);
  EXPECT_EQ(Text("ltrim l 10 -11"), "OK");
  EXPECT_EQ(Text("llen l"), "5980");
  EXPECT_EQ(Text("lpop l"), "10");
  EXPECT_EQ(Text("ltrim l 100 101"), "OK");
  EXPECT_EQ(Text("lrange l 0 -1"), "[111, 112]");
}

TEST_F(ListEnds, KeysOfLMPopAreFoundFromTheirNumber) {
  const auto find = [](const std::string& name, const std::vector<Bytes>& args) {
    for (const CommandSpec& spec : ListFamily().commands) {
      if (spec.name != name) continue;
      return KeyPositions(spec, args);
    }
    return std::vector<int>{-2};
  };
  EXPECT_EQ(find("lmpop", {"lmpop", "2", "a", "b", "left"}), (std::vector<int>{2, 3}));
  EXPECT_EQ(find("blmpop", {"blmpop", "0", "2", "a", "b", "left"}), (std::vector<int>{3, 4}));
  EXPECT_EQ(find("lmpop", {"lmpop", "3", "a", "b"}), (std::vector<int>{-1}));
  EXPECT_EQ(find("lmpop", {"lmpop", "0", "a", "b"}), (std::vector<int>{-1}));
  EXPECT_EQ(find("lmpop", {"lmpop", "x", "a", "b"}), (std::vector<int>{-1}));
}

}  // namespace
}  // namespace mayfly::server
