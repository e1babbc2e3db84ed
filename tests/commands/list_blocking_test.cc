// Goal: blocking commands: what they pop from existing lists, and their block requests otherwise.
// Method: commands on plain maps; the tester records block requests and does not wait.
#include <gtest/gtest.h>

#include "server/commands/support/families.h"
#include "server/testing/command_tester.h"

namespace mayfly::server {
namespace {

using Events = std::vector<std::string>;
using Keys = std::vector<std::string>;

constexpr const char* kWrongTypeError =
    "WRONGTYPE Operation against a key holding the wrong kind of value";

class ListBlocking : public testing::Test {
 protected:
  ListBlocking() { tester_.AllowBlocking(true); }

  std::string Text(const std::string& line) { return tester_.Text(line); }
  const Events& events() { return tester_.notifications(); }

  // The block request of a command that found nothing.
  BlockRequest Blocked(const std::string& line) {
    Text(line);
    EXPECT_TRUE(tester_.blocked().has_value()) << line;
    return tester_.blocked().value_or(BlockRequest{});
  }

  CommandTester tester_{{HashFamily(), ListFamily()}};
};

TEST_F(ListBlocking, WhatIsThereIsTakenAtOnce) {
  Text("rpush b 1 2 3 4 5");
  EXPECT_EQ(Text("blpop a b 0"), "[b, 1]");
  EXPECT_FALSE(tester_.blocked().has_value());
  EXPECT_EQ(events(), (Events{"l lpop 0 b"}));
  EXPECT_EQ(Text("brpop a b 1.5"), "[b, 5]");
  EXPECT_EQ(events(), (Events{"l rpop 0 b"}));
  EXPECT_EQ(Text("blmove b c right left 0"), "4");
  EXPECT_EQ(events(), (Events{"n new 0 c", "l lpush 0 c", "l rpop 0 b"}));
  EXPECT_EQ(Text("brpoplpush b c 0"), "3");
  EXPECT_EQ(Text("blmpop 0 2 a c left count 3"), "[c, [3, 4]]");
  EXPECT_EQ(events(), (Events{"l lpop 0 c", "g del 0 c"}));
  EXPECT_EQ(Text("lrange b 0 -1"), "[2]");
}

TEST_F(ListBlocking, WhatIsMissingIsWaitedFor) {
  const BlockRequest pop = Blocked("blpop a b 1.5");
  EXPECT_EQ(pop.keys, (Keys{"a", "b"}));
  EXPECT_EQ(pop.timeout, Millis(1500));
  EXPECT_TRUE(pop.null_array);
  EXPECT_EQ(Blocked("brpop a 0").timeout, std::nullopt);
  EXPECT_EQ(Blocked("blmove a b left right 0.001").keys, Keys{"a"});
  EXPECT_EQ(tester_.blocked()->timeout, Millis(1));
  EXPECT_TRUE(tester_.blocked()->null_array);
  EXPECT_EQ(Blocked("brpoplpush a b 2").keys, Keys{"a"});
  EXPECT_EQ(Blocked("blmpop 3 2 a b right").keys, (Keys{"a", "b"}));
  EXPECT_EQ(tester_.blocked()->timeout, Millis(3000));
  EXPECT_EQ(events(), Events{});
}

TEST_F(ListBlocking, WhereNobodyMayWaitTheTimeIsOver) {
  tester_.AllowBlocking(false);
  EXPECT_EQ(Text("blpop a b 0"), "(nil array)");
  EXPECT_EQ(Text("brpop a 0"), "(nil array)");
  EXPECT_EQ(Text("blmove a b left right 0"), "(nil)");
  EXPECT_EQ(Text("brpoplpush a b 0"), "(nil)");
  EXPECT_EQ(Text("blmpop 0 1 a left"), "(nil array)");
  EXPECT_FALSE(tester_.blocked().has_value());
}

TEST_F(ListBlocking, TimeoutsAreChecked) {
  Text("rpush l a");
  for (const char* line : {"blpop l ", "brpop l ", "blmove l l left left ", "brpoplpush l l "}) {
    EXPECT_EQ(Text(line + std::string("x")), "ERR timeout is not a float or out of range");
    EXPECT_EQ(Text(line + std::string("-1")), "ERR timeout is negative");
    EXPECT_EQ(Text(line + std::string("1e30")), "ERR timeout is out of range");
  }
  EXPECT_EQ(Text("blmpop x 1 l left"), "ERR timeout is not a float or out of range");
  EXPECT_EQ(Text("blmpop -1 1 l left"), "ERR timeout is negative");
  EXPECT_EQ(Text("blmpop x 0 l left"), "ERR numkeys should be greater than 0");
  EXPECT_EQ(Text("blmove l l up left x"), "ERR syntax error");
  EXPECT_EQ(Text("lrange l 0 -1"), "[a]");
}

TEST_F(ListBlocking, AnotherTypeIsAnErrorUnlessAListComesFirst) {
  Text("hset h f v");
  Text("rpush l a b");
  EXPECT_EQ(Text("blpop none h 0"), kWrongTypeError);
  EXPECT_EQ(Text("blpop l h 0"), "[l, a]");
  EXPECT_EQ(Text("blmove l h left left 0"), kWrongTypeError);
  EXPECT_EQ(Text("blmove h l left left 0"), kWrongTypeError);
  EXPECT_EQ(Blocked("blmove none h left left 0").keys, Keys{"none"});
  EXPECT_EQ(Text("lrange l 0 -1"), "[b]");
}

TEST_F(ListBlocking, WhoHasWaitedPassesOverAnotherType) {
  Text("hset h f v");
  Text("rpush l a b");
  tester_.Retry(true);
  EXPECT_EQ(Blocked("blpop h none 0").keys, (Keys{"h", "none"}));
  EXPECT_EQ(Text("blpop h l 0"), "[l, a]");
  EXPECT_EQ(Blocked("blmove h l left left 0").keys, Keys{"h"});
  EXPECT_EQ(Text("blmove l h left left 0"), kWrongTypeError);
  EXPECT_EQ(Text("lrange l 0 -1"), "[b]");
}

}  // namespace
}  // namespace mayfly::server
