// Hash commands on single fields: replies, errors, notifications.
// Method: commands on plain maps; expected texts are what Redis 7.0 answers.
#include <gtest/gtest.h>

#include "server/commands/support/families.h"
#include "server/testing/command_tester.h"

namespace mayfly::server {
namespace {

constexpr const char* kWrongType =
    "WRONGTYPE Operation against a key holding the wrong kind of value";

using Events = std::vector<std::string>;

class HashFields : public testing::Test {
 protected:
  std::string Text(const std::string& line) { return tester_.Text(line); }
  const Events& events() { return tester_.notifications(); }

  CommandTester tester_{{HashFamily(), ListFamily()}};
};

TEST_F(HashFields, HSetCountsWhatIsNew) {
  EXPECT_EQ(Text("hset h a 1 b 2 a 3"), "2");
  EXPECT_EQ(events(), (Events{"n new 0 h", "h hset 0 h"}));
  EXPECT_EQ(Text("HSET h b 4 c 5"), "1");
  EXPECT_EQ(events(), (Events{"h hset 0 h"}));
  EXPECT_EQ(Text("hmget h a b c d"), "[3, 4, 5, (nil)]");
  EXPECT_EQ(Text("hset h a 1 b"), "ERR wrong number of arguments for 'hset' command");
  EXPECT_EQ(Text("hset h a"), "ERR wrong number of arguments for 'hset' command");
  EXPECT_EQ(Text("hget h a"), "3");
}

TEST_F(HashFields, HMSetIsHSetThatSaysOk) {
  EXPECT_EQ(Text("hmset h a 1 b 2"), "OK");
  EXPECT_EQ(events(), (Events{"n new 0 h", "h hset 0 h"}));
  EXPECT_EQ(Text("hmset h a 1 b"), "ERR wrong number of arguments for 'hmset' command");
  EXPECT_EQ(Text("hlen h"), "2");
}

TEST_F(HashFields, HSetNxLeavesWhatIsThere) {
  EXPECT_EQ(Text("hsetnx h a 1"), "1");
  EXPECT_EQ(events(), (Events{"n new 0 h", "h hset 0 h"}));
  EXPECT_EQ(Text("hsetnx h a 2"), "0");
  EXPECT_EQ(events(), Events{});
  EXPECT_EQ(Text("hget h a"), "1");
}

TEST_F(HashFields, MissingKeysAndFieldsHaveNothing) {
  EXPECT_EQ(Text("hget none a"), "(nil)");
  EXPECT_EQ(events(), (Events{"m keymiss 0 none"}));
  EXPECT_EQ(Text("hmget none a b"), "[(nil), (nil)]");
  EXPECT_EQ(Text("hlen none"), "0");
  EXPECT_EQ(Text("hstrlen none a"), "0");
  EXPECT_EQ(Text("hexists none a"), "0");
  EXPECT_EQ(Text("hdel none a"), "0");
  EXPECT_EQ(events(), Events{});
  Text("hset h a hello \"\" empty");
  EXPECT_EQ(Text("hstrlen h a"), "5");
  EXPECT_EQ(Text("hstrlen h b"), "0");
  EXPECT_EQ(Text("hexists h a"), "1");
  EXPECT_EQ(Text("hexists h b"), "0");
  EXPECT_EQ(Text("hget h \"\""), "empty");
}

TEST_F(HashFields, HDelTakesTheHashWithItsLastField) {
  Text("hset h a 1 b 2 c 3");
  EXPECT_EQ(Text("hdel h a a x"), "1");
  EXPECT_EQ(events(), (Events{"h hdel 0 h"}));
  EXPECT_EQ(Text("hdel h x"), "0");
  EXPECT_EQ(events(), Events{});
  EXPECT_EQ(Text("hdel h b c d"), "2");
  EXPECT_EQ(events(), (Events{"h hdel 0 h", "g del 0 h"}));
  EXPECT_EQ(Text("hlen h"), "0");
}

TEST_F(HashFields, HIncrByCountsWithinTheIntegers) {
  EXPECT_EQ(Text("hincrby h n 5"), "5");
  EXPECT_EQ(events(), (Events{"n new 0 h", "h hincrby 0 h"}));
  EXPECT_EQ(Text("hincrby h n -7"), "-2");
  EXPECT_EQ(Text("hget h n"), "-2");
  EXPECT_EQ(Text("hincrby h n x"), "ERR value is not an integer or out of range");
  EXPECT_EQ(Text("hincrby h n 9223372036854775808"), "ERR value is not an integer or out of range");
  Text("hset h text 1.5 max 9223372036854775807 min -9223372036854775808");
  EXPECT_EQ(Text("hincrby h text 1"), "ERR hash value is not an integer");
  EXPECT_EQ(Text("hincrby h max 1"), "ERR increment or decrement would overflow");
  EXPECT_EQ(Text("hincrby h min -1"), "ERR increment or decrement would overflow");
  EXPECT_EQ(Text("hincrby h max -9223372036854775808"), "-1");
  EXPECT_EQ(Text("hincrby h min 9223372036854775807"), "-1");
}

TEST_F(HashFields, HIncrByFloatWritesWhatPeopleWrite) {
  EXPECT_EQ(Text("hincrbyfloat h n 10.50"), "10.5");
  EXPECT_EQ(events(), (Events{"n new 0 h", "h hincrbyfloat 0 h"}));
  EXPECT_EQ(Text("hincrbyfloat h n 0.1"), "10.6");
  EXPECT_EQ(Text("hincrbyfloat h n -10.6"), "0");
  EXPECT_EQ(Text("hincrbyfloat h n 5.0e3"), "5000");
  EXPECT_EQ(Text("hincrbyfloat h n x"), "ERR value is not a valid float");
  EXPECT_EQ(Text("hincrbyfloat h n nan"), "ERR value is not a valid float");
  EXPECT_EQ(Text("hincrbyfloat h n inf"), "ERR value is NaN or Infinity");
  Text("hset h text abc blank ' 1' inf inf");
  EXPECT_EQ(Text("hincrbyfloat h text 1"), "ERR hash value is not a float");
  EXPECT_EQ(Text("hincrbyfloat h blank 1"), "ERR hash value is not a float");
  EXPECT_EQ(Text("hincrbyfloat h inf 1"), "ERR increment would produce NaN or Infinity");
  EXPECT_EQ(Text("hget h inf"), "inf");
}

TEST_F(HashFields, NumbersAreReadBeforeTheKey) {
  Text("rpush list a");
  EXPECT_EQ(Text("hincrby list a x"), "ERR value is not an integer or out of range");
  EXPECT_EQ(Text("hincrbyfloat list a x"), "ERR value is not a valid float");
  EXPECT_EQ(Text("hset list a"), "ERR wrong number of arguments for 'hset' command");
}

TEST_F(HashFields, AnotherTypeIsRefusedByAllOfThem) {
  Text("rpush list a");
  for (const char* line : {"hset list a 1",
                           "hmset list a 1",
                           "hsetnx list a 1",
                           "hget list a",
                           "hmget list a",
                           "hdel list a",
                           "hlen list",
                           "hstrlen list a",
                           "hexists list a",
                           "hincrby list a 1",
                           "hincrbyfloat list a 1",
                           "hgetall list",
                           "hkeys list",
                           "hvals list",
                           "hrandfield list",
                           "hrandfield list 1",
                           "hscan list 0",
                           "hexpire list 1 fields 1 a",
                           "hpexpire list 1 fields 1 a",
                           "hexpireat list 1 fields 1 a",
                           "hpexpireat list 1 fields 1 a",
                           "httl list fields 1 a",
                           "hpttl list fields 1 a",
                           "hexpiretime list fields 1 a",
                           "hpexpiretime list fields 1 a",
                           "hpersist list fields 1 a",
                           "hgetex list fields 1 a",
                           "hsetex list fields 1 a 1",
                           "hgetdel list fields 1 a"}) {
    EXPECT_EQ(Text(line), kWrongType) << line;
    EXPECT_EQ(events(), Events{}) << line;
  }
  EXPECT_EQ(Text("lrange list 0 -1"), "[a]");
}

TEST_F(HashFields, ArityIsChecked) {
  for (const char* line : {"hset h",
                           "hmset h a",
                           "hsetnx h a",
                           "hget h",
                           "hmget h",
                           "hdel h",
                           "hlen",
                           "hlen h a",
                           "hstrlen h",
                           "hexists h",
                           "hincrby h a",
                           "hincrbyfloat h a",
                           "hgetall",
                           "hgetall h a",
                           "hkeys",
                           "hvals",
                           "hrandfield",
                           "hscan h",
                           "hexpire h 1 fields 1",
                           "hpexpire h 1 fields 1",
                           "hexpireat h 1 fields 1",
                           "hpexpireat h 1 fields 1",
                           "httl h fields 1",
                           "hpttl h fields 1",
                           "hexpiretime h fields 1",
                           "hpexpiretime h fields 1",
                           "hpersist h fields 1",
                           "hgetex h fields 1",
                           "hsetex h fields 1 a",
                           "hgetdel h fields 1"}) {
    const std::string name = std::string(line).substr(0, std::string(line).find(' '));
    EXPECT_EQ(Text(line), "ERR wrong number of arguments for '" + name + "' command");
  }
}

TEST_F(HashFields, BytesOfAnyKindAreFieldsAndValues) {
  const std::string odd("\0\xff\r\n", 4);
  EXPECT_EQ(tester_.RunArgs({"hset", "h", odd, odd + odd}).integer(), 1);
  EXPECT_EQ(tester_.RunArgs({"hget", "h", odd}).text(), odd + odd);
  EXPECT_EQ(tester_.RunArgs({"hstrlen", "h", odd}).integer(), 8);
}

}  // namespace
}  // namespace mayfly::server
